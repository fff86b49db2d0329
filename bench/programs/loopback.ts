import { listen } from './http-server.js'

/** Responds to every request at once with one record. */
const body = JSON.stringify({ data: { id: 'hp-1', name: 'P' }, processing_time_ms: 1 })

listen((request, send) => request.resume().on('end', () => send(request.method === 'POST' ? 201 : 200, body)))
