/** The base URLs and the key of a server on another origin than the page. */
export interface Elsewhere {
  baseUrl: string
  publicBaseUrl: string
  key: string
}

/** Posts the parts of answers that a page can read from another origin. */
async function main() {
  const { baseUrl, publicBaseUrl, key }: Elsewhere = await (await fetch('/given')).json()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const annotate = () => {
    const body = JSON.stringify({ annotator: 'structural', transcript: [{ role: 'user', content: 'Hello' }] })
    return fetch(`${baseUrl}/v1/annotations`, { method: 'POST', headers, body })
  }
  const created = await fetch(`${publicBaseUrl}/projects`, { method: 'POST', headers, body: '{"name":"P"}' })
  const listed = await fetch(`${publicBaseUrl}/projects`, { headers })
  const annotated = [await annotate(), await annotate()]
  const limited = await annotate()
  const unknown = await fetch(`${baseUrl}/nowhere`, { headers })
  const keyless = await fetch(`${publicBaseUrl}/projects`)
  return {
    type: created.type,
    statuses: [created, listed, ...annotated, limited, unknown, keyless].map(({ status }) => status),
    listed: (await listed.json()).data.map(({ name }: { name: string }) => name),
    retryAfter: limited.headers.get('retry-after'),
    date: limited.headers.get('date'),
    keyless: (await keyless.json()).error.type,
  }
}

export type Read = Awaited<ReturnType<typeof main>>

const body = await main().then(JSON.stringify, (error: unknown) => String((error as Error)?.stack ?? error))
await fetch('/report', { method: 'POST', body })
