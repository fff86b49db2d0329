import { listen } from './http-server.js'

/** Responds to every POST with a record, after 20 ms or the first argument. `/count` returns the number of records. */
const delayMs = Number(process.argv[2] ?? 20)
let count = 0

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

listen((request, send) => {
  if (request.url === '/count') return send(200, String(count))
  // The first page of the list, which tells whether an earlier run stored something.
  if (request.method === 'GET')
    return send(200, '{"data":[],"pagination":{"page":1,"limit":100,"total":0},"processing_time_ms":1}')
  const store = () => send(201, record(count++))
  request.resume().on('end', () => (delayMs > 0 ? setTimeout(store, delayMs) : store()))
})
