// Force each state, and assert on what was sent: svc mock --control -- node examples/languages/states.mjs
import assert from 'node:assert/strict'

const { SVC_API_KEY, SVC_BASE_URL, SVC_PUBLIC_BASE_URL, SVC_CONTROL_URL, SVC_CONTROL_TOKEN } = process.env
const call = (token, url, method = 'GET', body = undefined) =>
  fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const send = (...request) => call(SVC_API_KEY, ...request)
const control = (path, ...request) => call(SVC_CONTROL_TOKEN, SVC_CONTROL_URL + path, ...request)

await control('/world', 'PUT', {
  faults: ['projects.list: limited; ms=60000', 'health: status; code=503', 'projects.create: lost'],
  annotators: [{ id: 'structural', outcome: 'poor' }],
})
assert.equal((await send(`${SVC_PUBLIC_BASE_URL}/projects`)).status, 429)
await control('/clock', 'POST', { advanceMs: 60_001 })
assert.equal((await send(`${SVC_PUBLIC_BASE_URL}/projects`)).status, 200)
assert.equal((await send(`${SVC_BASE_URL}/health`)).status, 503)
await assert.rejects(send(`${SVC_PUBLIC_BASE_URL}/projects`, 'POST', { name: 'Lost' }))
const annotation = await send(`${SVC_BASE_URL}/v1/annotations`, 'POST', { annotator: 'structural', transcript: [] })
assert.equal((await annotation.json()).outcome, 'poor')
const [sent] = await (await control('/requests?operation=projects.create')).json()
assert.deepEqual(sent.body, { name: 'Lost' })
console.log('passed')
