import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Answers every call at once with one record. `/projects/missing` is refused with 404, and `/projects/stalled` is never
 * answered. Prints its port.
 */
const record = JSON.stringify({ data: { id: 'hp-1', name: 'P' }, processing_time_ms: 1 })
const missing = JSON.stringify({ error: { message: 'No such project.', type: 'not_found_error', code: 404 } })

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    if (request.url === '/projects/stalled') return
    const refused = request.url === '/projects/missing'
    const body = refused ? missing : record
    response.writeHead(refused ? 404 : request.method === 'POST' ? 201 : 200, {
      'content-type': 'application/json',
      'content-length': body.length,
    })
    response.end(body)
  })
})
// Idle connections outlive the slowest round, so that no call meets one that is being closed.
server.keepAliveTimeout = 120_000
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
