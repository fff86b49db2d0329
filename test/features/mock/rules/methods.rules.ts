import { expect } from 'chai'
import { newProject, newTranscript, onA, onB, refused, unknownProject } from './asking-fixture.js'
import { noIds } from './operations-fixture.js'
import type { Answered, Ask, Rule } from './rule.js'

/** Every path, asked without a key, and the methods that it has. */
const paths: readonly [Ask, readonly string[]][] = [
  [onA('/health'), ['GET', 'HEAD']],
  [onA('/v1/annotations'), ['POST']],
  [onA('/v1/annotators'), ['GET', 'HEAD']],
  [onA('/v1/batches'), ['POST']],
  [onA('/v1/batches/b1'), ['GET', 'HEAD']],
  [onB('/projects'), ['GET', 'HEAD', 'POST']],
  [onB(`/projects/${unknownProject}`), ['GET', 'HEAD']],
  [onB(`/projects/${unknownProject}/transcripts`), ['GET', 'HEAD', 'POST']],
  [onB(`/transcripts/${noIds.transcript}`), ['GET', 'HEAD']],
  [onB('/halfpipe/sessions'), ['POST']],
  [onB('/halfpipe/transcripts'), ['POST']],
]

const allowed = ({ headers }: Answered) => (headers.allow ?? '').split(/\s*,\s*/)

/** Headers of an answer, less the time. */
const timeless = ({ headers: { date: _date, ...rest } }: Answered) => rest

/** Whatever of an answer does not depend on when it was given. */
const comparable = (answer: Answered) => {
  const { 'content-length': length, ...headers } = timeless(answer)
  return { status: answer.status, headers, lengthIsTold: length !== undefined }
}

/** HEAD is answered as GET is, less the body. */
async function headIsGet(ask: (asked: Ask) => Promise<Answered>, asked: Ask, status: number): Promise<void> {
  const got = await ask(asked)
  const head = await ask({ ...asked, method: 'HEAD' })
  expect(got.status, got.text).to.equal(status)
  expect(got.text).not.to.equal('')
  expect(head.text).to.equal('')
  expect(comparable(head)).to.deep.equal(comparable(got))
  if (head.headers['content-length'] === undefined) return
  expect(Number(head.headers['content-length'])).to.equal(new TextEncoder().encode(got.text).length)
}

const nameOf = ({ surface, path }: Ask) =>
  `${surface === 'annotation' ? 'A' : 'B'} ${path.replace(unknownProject, '{projectId}').replace(noIds.transcript, '{transcriptId}')}`

export const rules: readonly Rule[] = [
  ...paths.flatMap(([asked, methods]): Rule[] => [
    {
      name: `${nameOf(asked)} answers 405 with Allow to every method but ${methods.join(', ')}`,
      source: 'ambiguity: order of checks (method 405 + Allow)',
      async run({ ask }) {
        for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((each) => !methods.includes(each))) {
          const answer = await ask({ ...asked, method, key: null })
          refused(asked, answer, 405)
          expect(allowed(answer), method).to.include.members([...methods])
          expect(allowed(answer), method).not.to.include(method)
        }
      },
    },
    {
      name: `${nameOf(asked)} answers OPTIONS with what it allows, without a key and a body`,
      source: 'ambiguity: OPTIONS',
      async run({ ask }) {
        const answer = await ask({ ...asked, method: 'OPTIONS', key: null })
        expect(answer.status).to.equal(204)
        expect(answer.text).to.equal('')
        expect(allowed(answer)).to.have.members([...methods, 'OPTIONS'])
      },
    },
  ]),
  {
    name: 'HEAD of a path that has no GET is 405 with Allow, without a body',
    source: 'ambiguity: HEAD',
    async run({ ask }) {
      for (const asked of [onA('/v1/annotations'), onB('/halfpipe/sessions')]) {
        const answer = await ask({ ...asked, method: 'HEAD' })
        expect(answer.status).to.equal(405)
        expect(answer.text).to.equal('')
        expect(allowed(answer)).to.include('POST').and.not.include('HEAD')
      }
    },
  },
  {
    name: 'HEAD is answered with the status and the headers of GET, and no body, on the annotation surface',
    source: 'ambiguity: HEAD',
    async run({ ask }) {
      await headIsGet(ask, onA('/health', { key: null }), 200)
      await headIsGet(ask, onA('/v1/annotators'), 200)
      await headIsGet(ask, onA('/v1/batches/b1'), 501)
      await headIsGet(ask, onA('/v1/batches/%00'), 422)
    },
  },
  {
    name: 'HEAD is answered with the status and the headers of GET, and no body, on the workspace surface',
    source: 'ambiguity: HEAD',
    // A service that others use may have one project more at the next request, and measures its time again.
    async run({ ask }) {
      const { id } = await newProject({ ask })
      const transcript = await newTranscript({ ask }, id, { name: 'Ünïcode 😀' })
      await headIsGet(ask, onB('/projects'), 200)
      await headIsGet(ask, onB(`/projects/${id}`), 200)
      await headIsGet(ask, onB(`/projects/${id}/transcripts?q=order&limit=1`), 200)
      await headIsGet(ask, onB(`/transcripts/${transcript.id}`), 200)
    },
  },
  {
    name: 'HEAD is refused as GET is: 401, 403, 404, 400, without a body',
    source: 'ambiguity: HEAD',
    async run({ ask, keys: { writer } }) {
      await headIsGet(ask, onB('/projects', { key: null }), 401)
      await headIsGet(ask, onB('/projects', { key: writer }), 403)
      await headIsGet(ask, onB(`/projects/${unknownProject}`), 404)
      await headIsGet(ask, onB('/projects?page=0'), 400)
      await headIsGet(ask, onA('/v1/annotators', { key: 'nobody' }), 401)
      await headIsGet(ask, onA('/v1/none'), 404)
    },
  },
]
