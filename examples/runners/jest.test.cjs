// Jest without flags, over a real port: npx jest --env=node
const { createServer, referenceKey } = require('@svc/reference-server/core')

let server
let listening
beforeEach(async () => {
  server = createServer()
  listening = await server.listen()
})
afterEach(() => listening.close())

const authorization = `Bearer ${referenceKey}`

test('stores a project', async () => {
  const response = await fetch(`${listening.publicBaseUrl}/projects`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Support' }),
  })
  expect(response.status).toBe(201)
  expect(server.requests).toMatchObject([{ operation: 'projects.create', status: 201 }])
})

test('starts each test without the projects of another', async () => {
  const response = await fetch(`${listening.publicBaseUrl}/projects`, { headers: { authorization } })
  expect(await response.json()).toMatchObject({ data: [] })
})
