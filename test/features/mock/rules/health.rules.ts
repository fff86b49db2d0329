import { expect } from 'chai'
import type { Rule } from './rule.js'

const source = 'Endpoints › Surface A'

export const rules: readonly Rule[] = [
  {
    name: 'GET /health is answered to a key that nobody knows',
    source: 'Authentication › Surface A',
    async run({ ask }) {
      const { status } = await ask({ surface: 'annotation', path: '/health', key: 'sk-service-api03-nobody' })
      expect(status).to.equal(200)
    },
  },
  {
    name: 'HEAD /health is answered as GET is, without a body',
    source: 'ambiguity: HEAD',
    async run({ ask }) {
      const got = await ask({ surface: 'annotation', path: '/health', key: null })
      const head = await ask({ surface: 'annotation', method: 'HEAD', path: '/health', key: null })
      expect(head.status).to.equal(got.status)
      expect(head.text).to.equal('')
      expect(head.headers['content-type']).to.equal(got.headers['content-type'])
    },
  },
  {
    name: 'GET /health says the substrate that the server was started with',
    source,
    options: { substrate: 'fargate' },
    async run({ ask, advance }) {
      const before = await ask({ surface: 'annotation', path: '/health', key: null })
      await advance(1000)
      const after = await ask({ surface: 'annotation', path: '/health', key: null })
      expect(before.json.substrate).to.equal('fargate')
      expect(Date.parse(after.headers.date ?? '') - Date.parse(before.headers.date ?? '')).to.equal(1000)
    },
  },
]
