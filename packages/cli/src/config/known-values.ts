import { hash } from 'node:crypto'
import { dirname, join } from 'node:path'
import type { SvcClient } from '@svc/client'
import { cut, hideSecrets } from '@svc/text'
import type { Io } from '../io/index.js'
import { cacheFolderOf, namesOf, type Surface } from '../settings.js'
import type { Resolved } from './resolve.js'

/** The kinds of values that the completion takes from the last answers of the service. */
export type KnownKind = 'projects' | 'annotators'

interface Seen {
  value: unknown
  title: unknown
}

/** A file of more bytes is none that svc wrote. */
const maxBytes = 1 << 18

/**
 * A client that keeps the projects and annotators of its answers for the completion. `write` writes them to the cache folder; it
 * never fails.
 */
export function keepKnownValues(
  client: SvcClient,
  io: Io,
  settings: Resolved,
): { client: SvcClient; write(): Promise<void> } {
  const seen: Record<KnownKind, Seen[]> = { projects: [], annotators: [] }
  const { projects, annotators } = client
  const noted = <Call extends PromiseLike<unknown>>(call: Call, note: (answer: Awaited<Call>) => void): Call => {
    // A failed call and a malformed answer are reported by the command.
    Promise.resolve(call)
      .then(note as (answer: unknown) => void)
      .catch(() => {})
    return call
  }
  const addProject = ({ id, name }: { id: string; name: string }) => seen.projects.unshift({ value: id, title: name })
  const noting: Pick<SvcClient, 'projects' | 'annotators'> = {
    projects: {
      ...projects,
      list: (...args) => noted(projects.list(...args), ({ data }) => void data.toReversed().forEach(addProject)),
      get: (...args) => noted(projects.get(...args), addProject),
      create: (...args) => noted(projects.create(...args), addProject),
    },
    annotators: {
      list: (...args) =>
        noted(annotators.list(...args), (answer) => {
          seen.annotators = answer.map(({ id, description }) => ({ value: id, title: description }))
        }),
    },
  }
  const folder = cacheFolderOf(io.env)
  const keys = Object.values(namesOf).flatMap(({ key }) => settings[key]?.value ?? [])
  // The values of another service, or of another key and thus perhaps workspace, do not stay beside those of this one.
  const originOf = (surface: Surface) => {
    const { baseUrl, key } = namesOf[surface]
    return hash('sha256', JSON.stringify([settings[baseUrl]?.value, settings[key]?.value])).slice(0, 16)
  }
  const write = async (): Promise<void> => {
    for (const kind of ['projects', 'annotators'] as const) {
      // A home folder that is not there is not created.
      if (seen[kind].length === 0 || folder === undefined || !io.isThere(dirname(dirname(folder)))) continue
      const path = join(folder, 'completion', kind)
      const before = await io.readFile(path, { maxBytes, isPlain: true }).then(
        (bytes) => new TextDecoder().decode(bytes),
        () => '',
      )
      const text = knownText(before, seen[kind], originOf(kind === 'projects' ? 'workspace' : 'annotation'), keys)
      if (text !== before) await io.writePrivate(path, text).catch(() => {})
    }
  }
  // The client has more than its methods, which a spread would lose.
  return { client: Object.create(client, Object.getOwnPropertyDescriptors(noting)), write }
}

/** A file of known values has no more lines. */
const mostLines = 200

/** Other values have no place on a command line without quotes. */
const plain = /^[A-Za-z0-9_][\w.:@+-]{0,199}$/

const titleOf = (title: unknown, keys: Iterable<string>): string =>
  cut(
    hideSecrets(typeof title === 'string' ? title : '', keys).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' '),
    80,
  ).trim()

/**
 * The text of a file of known values: a line each, with the value, its title and the origin between tabs, the newest first.
 * It keeps the lines that it has from the same origin, and hides keys.
 */
function knownText(
  before: string,
  values: readonly { value: unknown; title: unknown }[],
  origin: string,
  keys: Iterable<string>,
): string {
  const fresh = values.flatMap(({ value, title }) =>
    typeof value === 'string' && plain.test(value) ? [`${value}\t${titleOf(title, keys) || value}\t${origin}`] : [],
  )
  const kept = before.split('\n').filter((line) => line.endsWith(`\t${origin}`))
  const lines = new Map<string, string>()
  for (const line of [...fresh, ...kept]) {
    const [value = ''] = line.split('\t')
    if (!lines.has(value)) lines.set(value, line)
  }
  return [...lines.values()]
    .slice(0, mostLines)
    .map((line) => `${line}\n`)
    .join('')
}
