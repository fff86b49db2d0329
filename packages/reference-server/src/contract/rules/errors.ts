import type { Ask } from '../service.js'
import { unknownProject } from '../service.js'
import { expectEqual, expectStatus, expectThat, fieldsOf, onA, onB, type Rule, type Trial, upload } from '../trial.js'

const ofA: readonly [number, (trial: Trial) => Ask][] = [
  [401, () => onA('/v1/batches/b', { key: 'nobody' })],
  [403, ({ key }) => onA('/v1/batches/b', { key: key('revoked') })],
  [422, () => onA('/v1/annotations', { body: {} })],
  [501, () => onA('/v1/batches/b')],
]

const types: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'authorization_error',
  404: 'not_found_error',
}

const ofB: readonly [number, (trial: Trial) => Promise<Ask>][] = [
  [400, async () => onB('/projects/hp-1/transcripts', { body: upload() })],
  [401, async () => onB('/projects', { key: 'nobody' })],
  [
    403,
    async (trial) =>
      onB(`/projects/${await trial.project()}/transcripts`, { key: trial.key('reader'), body: upload() }),
  ],
  [404, async () => onB(`/projects/${unknownProject}`)],
]

const isText = (value: unknown) => typeof value === 'string'

export const rules: readonly Rule[] = [
  ...ofA.map(
    ([status, request]): Rule => ({
      name: `a ${status} of the annotation surface has the envelope of its errors: error and detail`,
      source: 'Errors › Surface A',
      async run(trial) {
        const answer = await trial.ask(request(trial))
        expectStatus(answer, status)
        const { error, detail } = fieldsOf(answer.json)
        expectThat(isText(error) && isText(detail), 'expected error and detail, both strings')
      },
    }),
  ),
  ...ofB.map(
    ([status, request]): Rule => ({
      name: `a ${status} of the workspace surface shows its type${status === 401 || status === 403 ? ', message and code' : ''}`,
      source: 'Errors › Surface B',
      async run(trial) {
        const answer = await trial.ask(await request(trial))
        expectStatus(answer, status)
        const { type, message, code } = fieldsOf(fieldsOf(answer.json).error)
        expectEqual(type, types[status], 'error.type')
        if (status !== 401 && status !== 403) return
        expectThat(isText(message), 'error.message: expected a string')
        expectEqual(code, status, 'error.code')
      },
    }),
  ),
]
