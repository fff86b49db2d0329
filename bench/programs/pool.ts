import { readFileSync } from 'node:fs'
import { Pool } from 'undici'

/** Posts the lines of a file over a number of connections: the minimum cost of their upload. */
const [baseUrl = '', file = '', width] = process.argv.slice(2)
const { origin, pathname } = new URL(baseUrl)
const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
const pool = new Pool(origin, { connections: Number(width) })
const headers = { 'content-type': 'application/json', authorization: 'Bearer bench' }
let next = 0

const lane = async () => {
  for (let body = lines[next++]; body !== undefined; body = lines[next++]) {
    const answer = await pool.request({ path: `${pathname}/projects/hp-1/transcripts`, method: 'POST', headers, body })
    await answer.body.json()
  }
}
await Promise.all(Array.from({ length: Number(width) }, lane))
await pool.close()
