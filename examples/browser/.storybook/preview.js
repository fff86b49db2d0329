import { server, worker } from '../src/mocks.js'

export default {
  beforeAll: () => worker.start({ onUnhandledRequest: 'bypass' }).then(() => {}),
  beforeEach: () => server.reset(),
}
