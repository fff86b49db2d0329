import { howToName, serviceOf } from './service.js'

/** Before anything is tried: there is a server to try. */
export default function setup(): void {
  if (serviceOf(process.env)) return
  process.stderr.write(howToName)
  process.exit(2)
}
