import { rawNonconformities } from '../../../helpers/conformance.js'
import type { WireAnswer } from './answers.js'

/** The method of a request, and its target as it was sent. */
export interface Asked {
  method: string
  target: string
}

const publicBase = '/public/api/v1'

/** The violations of the interface in an answer to a request; empty if there are none. */
export function problemsOf({ method, target }: Asked, answer: WireAnswer): string[] {
  const path = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '')
  const isPublic = path.startsWith(publicBase) && /^([/?#]|$)/.test(path.slice(publicBase.length))
  const surface = isPublic ? 'workspace' : 'annotation'
  const below = isPublic ? path.slice(publicBase.length) : path
  const problems = rawNonconformities({ surface, method, path: below, ...answer })
  // If Node cannot parse the request, the server may not know its target.
  const isEither = isUnread(answer) && surface === 'workspace'
  return [...general(answer), ...(isEither && isEnvelope(answer) ? [] : problems)]
}

/** The same of an answer to bytes of which nothing is known: the envelope of either surface, or a success of any. */
export const problemsOfAny = (answer: WireAnswer): string[] => [
  ...general(answer),
  ...(answer.status >= 400 && answer.text !== '' && !isEnvelope(answer) ? ['no envelope'] : []),
]

const isUnread = ({ status, headers }: WireAnswer) => [400, 408, 431].includes(status) && headers.connection === 'close'

const isEnvelope = (answer: WireAnswer) =>
  (['annotation', 'workspace'] as const).some(
    (surface) =>
      rawNonconformities({ surface, method: 'GET', path: '/nowhere', ...answer, status: Math.max(answer.status, 400) })
        .length === 0,
  ) || JSON.stringify(Object.keys(parsed(answer.text))) === '["detail"]'

function general({ status, text }: WireAnswer): string[] {
  return [
    ...(status >= 500 && status !== 501 ? [`${status}`] : []),
    ...(/\n\s+at |node:internal|\.[tj]s:\d|Error:/.test(text) && !text.startsWith('<!') ? ['a stack'] : []),
  ]
}

function parsed(text: string): object {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
