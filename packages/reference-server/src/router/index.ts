export { createRouteTable } from './route-table.js'
export { createRouter } from './router.js'
