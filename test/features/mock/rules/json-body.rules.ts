import { expect } from 'chai'
import { anAnnotation, anUpload, newProject, onA, onB, read, refused, someAnnotator } from './asking-fixture.js'
import type { Ask, Rule, Trial } from './rule.js'

const reading = 'ambiguity: malformed JSON, or a Content-Type that is not JSON'

/** An operation that takes a body: how it is asked with one, what it answers to a right one, and to a wrong one. */
interface Taking {
  name: string
  source: string
  asked(trial: Trial): Promise<{ request: Omit<Ask, 'body'>; body: object }>
  right: number
  wrong: number
}

const takings: readonly Taking[] = [
  {
    name: 'POST /projects',
    source: 'POST /projects',
    asked: async () => ({ request: onB('/projects'), body: { name: 'A project' } }),
    right: 201,
    wrong: 400,
  },
  {
    name: 'POST /projects/{projectId}/transcripts',
    source: 'POST /projects/{projectId}/transcripts',
    async asked(trial) {
      const { id } = await newProject(trial)
      return { request: onB(`/projects/${id}/transcripts`), body: anUpload() }
    },
    right: 201,
    wrong: 400,
  },
  {
    name: 'POST /halfpipe/sessions',
    source: 'ambiguity: legacy routes',
    asked: async () => ({ request: onB('/halfpipe/sessions'), body: { name: 'A session' } }),
    right: 201,
    wrong: 400,
  },
  {
    name: 'POST /halfpipe/transcripts',
    source: 'ambiguity: legacy routes',
    async asked(trial) {
      const { id } = await newProject(trial)
      return { request: onB('/halfpipe/transcripts'), body: anUpload({ projectId: id }) }
    },
    right: 201,
    wrong: 400,
  },
  {
    name: 'POST /v1/annotations',
    source: 'ambiguity: invalid body on A',
    asked: async (trial) => ({ request: onA('/v1/annotations'), body: anAnnotation(await someAnnotator(trial)) }),
    right: 200,
    wrong: 422,
  },
]

/** Bodies that are no JSON, or no JSON object. */
const wrongTexts: readonly [string, (right: string) => string | Uint8Array][] = [
  ['an empty body', () => ''],
  ['blanks alone', () => ' \n'],
  ['a body that is cut short', (right) => right.slice(0, -1)],
  ['a body with more after its end', (right) => `${right}}`],
  ['a comment in JSON', (right) => `/* hi */${right}`],
  ['a form', () => 'name=A+project'],
  ['bytes that are no UTF-8', (right) => joined(right.slice(0, -1), ',"note":"', new Uint8Array([0xc3, 0x28]), '"}')],
  ['an array', (right) => `[${right}]`],
  ['null', () => 'null'],
  ['a string', () => '"name"'],
  ['a number', () => '7'],
]

/** Texts and bytes as the bytes of one body. */
function joined(...parts: readonly (string | Uint8Array)[]): Uint8Array {
  const utf8 = new TextEncoder()
  return new Uint8Array(parts.flatMap((part) => [...(typeof part === 'string' ? utf8.encode(part) : part)]))
}

const compressed = 'ambiguity: a compressed request body, a repeated query parameter, annotation=:x †'

/** A text, compressed by a content coding. */
async function compress(text: string, format: 'gzip' | 'deflate'): Promise<Uint8Array> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream(format))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** A body of 17 MB that compresses to little: compressed once, for each operation and transport. */
let huge: Promise<Uint8Array> | undefined
const hugeBody = () => (huge ??= compress(`{"name":"${' '.repeat(17 * 2 ** 20)}"}`, 'gzip'))

const wrongTypes = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/json']

/** Content types of JSON. */
const rightTypes = [
  'application/json; charset=utf-8',
  'APPLICATION/JSON',
  'application/json;charset=UTF-8',
  'application/json; v=1; charset="utf-8"',
  'application/json; charset=utf8',
]

/** Content types of JSON in another charset than UTF-8, in which the same bytes are another text. */
const wrongCharsets = [
  'iso-8859-1',
  'UTF-16',
  '"latin1"',
  'windows-1252',
  'us-ascii',
  'utf-8; charset=utf-16le',
  'x',
  '',
]

/** Further fields, some of them with names that a careless server trips over. */
const further = '"unknown":1,"constructor":{},"__proto__":{"name":7},"toString":null'

export const rules: readonly Rule[] = takings
  .flatMap(({ name, source, asked, right, wrong }): Rule[] => [
    ...wrongTexts.map(
      ([what, change]): Rule => ({
        name: `${name} answers ${wrong} to ${what}`,
        source: source.startsWith('ambiguity') ? reading : source,
        async run(trial) {
          const { request, body } = await asked(trial)
          const sent = { ...request, method: 'POST', body: change(JSON.stringify(body)) }
          refused(request, await trial.ask(sent), wrong)
        },
      }),
    ),
    {
      name: `${name} answers ${wrong} without a body`,
      source,
      async run(trial) {
        const { request } = await asked(trial)
        refused(request, await trial.ask({ ...request, method: 'POST' }), wrong)
      },
    },
    {
      name: `${name} answers ${wrong} to another Content-Type, and to none`,
      source: reading,
      async run(trial) {
        const { request, body } = await asked(trial)
        for (const type of [...wrongTypes, null]) {
          const answer = await trial.ask({ ...request, body, headers: { 'content-type': type } })
          refused(request, answer, wrong)
        }
      },
    },
    {
      name: `${name} answers ${wrong} to a charset that is not UTF-8, and says so`,
      source: reading,
      async run(trial) {
        const { request, body } = await asked(trial)
        for (const charset of wrongCharsets) {
          const headers = { 'content-type': `application/json; charset=${charset}` }
          const answer = await trial.ask({ ...request, body, headers })
          refused(request, answer, wrong)
          expect(answer.text).to.match(/charset/)
        }
      },
    },
    {
      name: `${name} answers ${wrong} to a compressed body, and says so`,
      source: compressed,
      async run(trial) {
        const { request, body } = await asked(trial)
        const text = JSON.stringify(body)
        for (const coding of ['gzip', 'deflate'] as const) {
          const headers = { 'content-encoding': coding }
          const answer = await trial.ask({ ...request, body: await compress(text, coding), headers })
          refused(request, answer, wrong)
          expect(answer.text).to.match(/compress|encod/i)
        }
        refused(request, await trial.ask({ ...request, body: text, headers: { 'content-encoding': 'br' } }), wrong)
        const identity = await trial.ask({ ...request, body: text, headers: { 'content-encoding': 'Identity' } })
        expect(identity.status, identity.text).to.equal(right)
      },
    },
    {
      name: `${name} takes a compressed body where that reading is chosen`,
      source: compressed,
      options: { ambiguities: { compressedBodies: true } },
      async run(trial) {
        const { request, body } = await asked(trial)
        const text = JSON.stringify(body)
        for (const coding of ['gzip', 'deflate'] as const) {
          const headers = { 'content-encoding': coding }
          const answer = await trial.ask({ ...request, body: await compress(text, coding), headers })
          expect(answer.status, answer.text).to.equal(right)
        }
        for (const coding of ['gzip', 'br']) {
          refused(request, await trial.ask({ ...request, body: text, headers: { 'content-encoding': coding } }), wrong)
        }
        const tooLarge = { ...request, body: await hugeBody(), headers: { 'content-encoding': 'gzip' } }
        refused(request, await trial.ask(tooLarge), 413)
      },
    },
    {
      name: `${name} answers ${wrong} to a number that is out of range`,
      source: 'ambiguity: numbers in free-form bodies',
      async run(trial) {
        const { request, body } = await asked(trial)
        for (const number of ['1e400', '-1E400', `[${'9'.repeat(400)}]`]) {
          const text = `${JSON.stringify(body).slice(0, -1)},"further":${number}}`
          refused(request, await trial.ask({ ...request, body: text }), wrong)
        }
      },
    },
    {
      name: `${name} takes JSON whose Content-Type has parameters or capitals`,
      source,
      async run(trial) {
        const { request, body } = await asked(trial)
        for (const type of rightTypes) {
          const { status, text } = await trial.ask({ ...request, body, headers: { 'content-type': type } })
          expect(status, text).to.equal(right)
        }
      },
    },
    {
      name: `${name} ignores fields that it does not know`,
      source: 'ambiguity: empty turn content, unknown extra fields',
      async run(trial) {
        const { request, body } = await asked(trial)
        const { status, text } = await trial.ask({
          ...request,
          body: `${JSON.stringify(body).slice(0, -1)},${further}}`,
        })
        expect(status, text).to.equal(right)
        expect(text).not.to.include('unknown')
      },
    },
    {
      name: `${name} answers ${wrong} without a word of what was sent`,
      source: 'Errors',
      async run(trial) {
        const { request } = await asked(trial)
        const answer = await trial.ask({ ...request, method: 'POST', body: '{"name":"a secret conversation"' })
        refused(request, answer, wrong)
        expect(answer.text).not.to.include('secret')
      },
    },
  ])
  .concat([
    {
      name: 'a refused body stores nothing',
      source: 'POST /projects/{projectId}/transcripts',
      async run(trial) {
        const { id } = await newProject(trial)
        const path = `/projects/${id}/transcripts`
        for (const body of [
          '{',
          { name: 'A conversation' },
          anUpload({ process: 1 }),
          anUpload({ turns: [{ role: 'x' }] }),
        ]) {
          expect((await trial.ask(onB(path, { body }))).status).to.equal(400)
        }
        expect(await read(trial, path)).to.deep.equal([])
        expect(await read(trial, `/projects/${id}`)).to.include({ transcript_count: 0, latest_transcript_at: null })
      },
    },
  ])
