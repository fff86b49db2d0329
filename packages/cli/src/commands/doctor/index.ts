export { doctorCommand } from './doctor.js'
