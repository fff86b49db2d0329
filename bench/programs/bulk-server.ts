import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Answers every POST with a record, 20 milliseconds after its last byte or as many as the first argument says. `/count`
 * gives how many have been answered. Prints its port.
 */
const delay = Number(process.argv[2] ?? 20)
let answered = 0

const record = (index: number) =>
  JSON.stringify({
    data: {
      id: `tr_${index}`,
      name: 'A conversation',
      model_name: null,
      language: null,
      source_system: null,
      external_id: null,
      external_user_id: null,
      metadata: {},
      turn_count: 4,
      user_turn_count: 2,
      assistant_turn_count: 2,
      total_token_count: 1200,
      source_timestamp: null,
      created_at: '2026-01-01T00:00:00Z',
      processing_status: 'queued',
    },
    processing_time_ms: 1,
  })

const server = createServer((request, response) => {
  const answer = (status: number, body: string) =>
    response
      .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      .end(body)
  if (request.url === '/count') return void answer(200, String(answered))
  const store = () => answer(201, record(answered++))
  request.resume().on('end', () => (delay > 0 ? setTimeout(store, delay) : store()))
})
// Idle connections outlive the slowest round, so that no call meets one that is being closed.
server.keepAliveTimeout = 120_000
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
