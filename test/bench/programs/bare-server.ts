import { createServer } from 'node:http'

/**
 * Serves on a port, with nothing but `node:http`: each path of the JSON given as the second argument answers that text.
 * The body of a POST is read and parsed, and thrown away.
 */
const [port, answers = '{}'] = process.argv.slice(2)
const bodies = new Map(Object.entries(JSON.parse(answers) as Record<string, string>))

createServer((request, response) => {
  const body = bodies.get(request.url ?? '') ?? '{}'
  const answer = (status: number) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    response.end(body)
  }
  if (request.method !== 'POST') return answer(200)
  const chunks: Buffer[] = []
  request
    .on('data', (chunk) => chunks.push(chunk))
    .on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString())
      answer(201)
    })
}).listen(Number(port), '127.0.0.1')
