import { expect } from 'chai'
import { onA, onB, refusedOnA, refusedOnB } from './asking-fixture.js'
import { noIds, operations } from './operations-fixture.js'
import type { Rule } from './rule.js'

const source = 'ambiguity: interface description'
const keyless = 'Authentication › Surface A'

const forms: readonly [path: string, type: RegExp, begins: RegExp][] = [
  ['/openapi.json', /^application\/(.+\+)?json\b/, /^\s*\{/],
  ['/docs', /^text\/html\b/, /^\s*<!doctype html>/i],
]

/** The operations that a description must name: method and path, with ids in braces. */
const described = [
  'get /health',
  ...operations.map(({ name, ask }) => `${ask(noIds).body === undefined ? 'get' : 'post'} ${name.split(' ')[1]}`),
]

export const rules: readonly Rule[] = [
  ...forms.flatMap(([path, type, begins]): Rule[] => [
    {
      name: `GET ${path} needs no key, and minds none`,
      source: keyless,
      async run({ ask }) {
        for (const key of [null, 'sk-service-api03-nobody']) {
          const { status, headers, text } = await ask(onA(path, { key }))
          expect(status).to.equal(200)
          expect(headers['content-type']).to.match(type)
          expect(text).to.match(begins)
        }
      },
    },
    {
      name: `${path} has HEAD and OPTIONS, and no other method than GET`,
      source,
      async run({ ask }) {
        const got = await ask(onA(path, { key: null }))
        const head = await ask(onA(path, { key: null, method: 'HEAD' }))
        expect([head.status, head.text]).to.deep.equal([200, ''])
        expect(head.headers['content-type']).to.equal(got.headers['content-type'])
        refusedOnA(await ask(onA(path, { key: null, method: 'POST' })), 405)
        const options = await ask(onA(path, { key: null, method: 'OPTIONS' }))
        expect(options.status).to.equal(204)
        expect(options.headers.allow).to.match(/\bGET\b/)
      },
    },
    {
      name: `${path} is no path of the workspace surface: 404`,
      source,
      run: async ({ ask }) => refusedOnB(await ask(onB(path)), 404),
    },
  ]),
  {
    name: 'the description is OpenAPI 3.1 and names every operation of both surfaces',
    source,
    async run({ ask }) {
      const { json } = await ask(onA('/openapi.json', { key: null }))
      expect(json.openapi).to.match(/^3\.1\./)
      const named = Object.entries<object>(json.paths).flatMap(([path, item]) =>
        Object.keys(item).map((method) => `${method} ${path}`),
      )
      for (const each of described) {
        const [method = '', path = ''] = each.split(' ')
        expect(
          named.some((name) => name.startsWith(`${method} `) && name.endsWith(path)),
          each,
        ).to.equal(true)
      }
    },
  },
  {
    name: 'the page leads to the JSON that it shows',
    source,
    async run({ ask }) {
      expect((await ask(onA('/docs', { key: null }))).text).to.include('<a href="openapi.json">')
    },
  },
  {
    name: 'the page is read offline: it loads nothing',
    source,
    async run({ ask }) {
      const { text } = await ask(onA('/docs', { key: null }))
      expect(text).not.to.match(/<(script|iframe|link|img)\b[^>]*\b(src|href)\s*=\s*["']?(https?:)?\/\//i)
      expect(text).not.to.match(/@import|url\(\s*["']?(https?:)?\/\//i)
    },
  },
  {
    name: 'the description is not limited',
    source,
    options: { limits: { requests: 1, windowMs: 10_000 } },
    async run({ ask }) {
      for (let time = 0; time < 3; time += 1) expect((await ask(onA('/openapi.json'))).status).to.equal(200)
    },
  },
]
