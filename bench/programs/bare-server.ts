import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Serves with nothing but `node:http`: each path of the JSON given as the argument answers that text. The body of a POST
 * is read and parsed, and thrown away. Prints its port.
 */
const answers = JSON.parse(process.argv[2] ?? '{}') as Record<string, string>

const server = createServer((request, response) => {
  const body = answers[request.url ?? ''] ?? '{}'
  const answer = (status: number) =>
    response
      .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      .end(body)
  if (request.method !== 'POST') return void answer(200)
  const chunks: Buffer[] = []
  request
    .on('data', (chunk) => chunks.push(chunk))
    .on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString())
      answer(201)
    })
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
