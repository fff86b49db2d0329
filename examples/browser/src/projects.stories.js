import { createClient } from '@svc/client'
import { server } from './mocks.js'
import { projectsOf } from './projects.js'

const { baseUrl, publicBaseUrl } = server

export default {
  title: 'Projects',
  render: () =>
    projectsOf(createClient({ apiKey: 'sk-service-api03-reference', baseUrl, publicBaseUrl, retry: false })),
}

export const Empty = {}

export const Two = {
  beforeEach() {
    for (const name of ['Sales', 'Support']) server.world.createProject({ name })
  },
}

export const Unavailable = {
  beforeEach: () => server.faults.add('projects.list: status; code=503'),
}
