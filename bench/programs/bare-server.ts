import { listen } from './http-server.js'

/** A server on `node:http` alone: responds with the text of each path in the JSON argument. A POST body is parsed. */
const responses = JSON.parse(process.argv[2] ?? '{}') as Record<string, string>

listen((request, send) => {
  const body = responses[request.url ?? ''] ?? '{}'
  if (request.method !== 'POST') return send(200, body)
  const chunks: Buffer[] = []
  request
    .on('data', (chunk) => chunks.push(chunk))
    .on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString())
      send(201, body)
    })
})
