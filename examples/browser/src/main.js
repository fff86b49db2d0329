import { createClient } from '@svc/client'
import { projectsOf } from './projects.js'

// A test may name a server of its own. Else the page has one in itself, during development only.
async function service() {
  if (globalThis.service) return globalThis.service
  const { server, worker } = await import('./mocks.js')
  await worker.start({ onUnhandledRequest: 'bypass' })
  return server
}

const { baseUrl, publicBaseUrl } = await service()
const svc = createClient({ apiKey: 'sk-service-api03-reference', baseUrl, publicBaseUrl })
document.querySelector('#projects').append(projectsOf(svc))
