import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Answers every call at once with one record. Prints its port. */
const body = JSON.stringify({ data: { id: 'hp-1', name: 'P' }, processing_time_ms: 1 })

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length }
    response.writeHead(request.method === 'POST' ? 201 : 200, headers).end(body)
  })
})
// Idle connections outlive the slowest round, so that no call meets one that is being closed.
server.keepAliveTimeout = 120_000
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
