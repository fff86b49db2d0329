import { createUploader, type UploaderResult } from '@svc/bulk'
import { createClient, type TranscriptUpload } from '@svc/client'
import { referenceKey } from '@svc/reference-server'
import type { Choices } from '../choices.js'
import { createMachine, type Machine, type ProcessEnvironment } from '../machine.js'
import type { Service } from '../service.js'
import { contentOf } from '../transcripts.js'
import type { DrawScenario, Ending, Program, Stop, World } from './program.js'

/** A conversation that an app adds, and what it learned about it. */
interface Conversation {
  upload: TranscriptUpload
  id: string | undefined
  /** How often it is added. */
  times: number
  /** How often its `add` has resolved. */
  added: number
  results: UploaderResult[]
}

/** An app with one ledger, on a disk that all of its machines have. */
interface App {
  name: string
  machines: readonly Machine[]
  /** The processes that serve it. */
  instances: number
  mayBePaused: boolean
  conversations: readonly Conversation[]
  concurrency: number
}

const minute = 60_000

/**
 * Apps with `createUploader`: one, or two of which a queue gives some conversations to both. Each has a ledger on a disk of its
 * own, with which its process is moved to another machine with another clock; or two processes begin with it at once.
 */
export const drawApps: DrawScenario = ({ scheduler, choices, service }) => {
  const apps = drawAppsOf(choices)
  const programs = apps.flatMap((app) =>
    Array.from({ length: app.instances }, (_, i) => programOf(app, i, { scheduler, choices, service })),
  )
  return {
    programs,
    machines: apps.flatMap(({ machines }) => machines),
    broken(ends) {
      const areDone = programs.every((each) => ends.get(each)?.state === 'done')
      return areDone ? [...brokenAdds(apps, service), ...brokenCopies(apps, service)] : []
    },
  }
}

function drawAppsOf(choices: Choices): App[] {
  const of = choices.pick([1, 2] as const, 0.4)
  const shared = Array.from({ length: of === 1 ? 0 : 1 + choices.oneOf(2) }, (_, i) => ({
    text: `shared ${i}`,
    id: `job-${i}`,
  }))
  return Array.from({ length: of }, (_, n) => {
    const own = Array.from({ length: 1 + choices.oneOf(5, 0.2) }, (_, i) => ({
      text: `app ${n} says ${i}`,
      id: choices.chance(0.3) ? `own-${n}-${i}` : undefined,
    }))
    const conversations = [...shared, ...own].map(({ text, id }) => ({
      upload: uploadOf(text, id !== undefined),
      id,
      times: choices.pick([1, 2] as const, 0.7),
      added: 0,
      results: [],
    }))
    const aheadMs = () => choices.pick([0, 2_000, minute, -minute] as const, 0.7)
    const first = createMachine(`m${n + 1}`, choices, aheadMs())
    const isShared = choices.chance(0.5)
    first.isDiskShared = isShared
    return {
      name: `app ${n + 1}`,
      machines: isShared ? [first, createMachine(`m${n + 1}b`, choices, aheadMs(), first.disk)] : [first],
      instances: choices.pick([1, 2] as const, 0.7),
      mayBePaused: isShared && choices.chance(0.5),
      conversations,
      concurrency: 1 + choices.oneOf(3, 0.3),
    }
  })
}

const uploadOf = (content: string, isTimed: boolean): TranscriptUpload => ({
  name: content,
  turns: [
    { role: 'user', content },
    { role: 'assistant', content: 'yes' },
  ],
  ...(isTimed && { sourceTimestamp: '2025-12-31T10:00:00Z' }),
})

function programOf(
  { name: app, machines, mayBePaused, conversations, concurrency }: App,
  instance: number,
  { scheduler, choices, service }: World,
): Program {
  const name = instance === 0 ? app : `${app} (${instance + 1})`
  let at = instance
  const machine = () => machines[at % machines.length] as Machine
  async function run(
    { process, clock, disk, host, randomId, turn }: ProcessEnvironment,
    { signal, mayArrive }: Stop,
  ): Promise<Ending> {
    const fetch = service.fetchOf(process)
    const { baseUrl, publicBaseUrl } = service.server
    const client = createClient({
      ...{ apiKey: referenceKey, baseUrl, publicBaseUrl, clock, environment: {} },
      fetch: (...request) => {
        mayArrive()
        return fetch(...request)
      },
    })
    const uploader = createUploader({
      ...{ client, project: service.project, ledger: '/ledger', concurrency, disk, clock, host, randomId, turn },
      onResult: (result) => {
        if (process.isDead) return
        conversations.find(({ upload }) => upload.name === result.item.name)?.results.push(result)
      },
    })
    const pause = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve))
    let refused = 0
    let patience = 30
    // An app knows which of its conversations were taken: it gives the others again, also while another process has the ledger.
    for (const each of conversations) {
      while (each.added < each.times && !signal.aborted) {
        try {
          await uploader.add(each.upload, { id: each.id })
          if (!process.isDead) each.added++
        } catch {
          if (patience-- > 0) {
            await pause(minute)
            continue
          }
          refused++
          break
        }
        if (choices.chance(0.3)) await pause(choices.pick([100, 5_000, minute] as const))
      }
    }
    const isFlushed = signal.aborted ? false : await uploader.flush({ timeoutMs: 20 * minute })
    // The search for copies comes after the results.
    if (isFlushed && !signal.aborted) await pause(15 * minute)
    const isDone = isFlushed && refused === 0 && !signal.aborted && uploader.stats().waitingBytes === 0
    await uploader.close().catch(() => {})
    return { text: isDone ? 'done' : `${refused} refused`, state: isDone ? 'done' : 'again' }
  }
  return {
    name,
    mayBePaused,
    get machine() {
      return machine()
    },
    run,
    move() {
      at++
      scheduler.note(`${name}: its machine is lost; it moves to ${machine().name}`)
    },
  }
}

/** "Every `add` that resolved is stored", or has a result that says that it may not be. */
function brokenAdds(apps: readonly App[], service: Service): string[] {
  const stored = storedBy(service)
  return apps.flatMap(({ name, conversations }) =>
    conversations.flatMap(({ upload, added, results }) => {
      const isStored = stored.has(contentOf(upload))
      const said = results.map(({ result }) => result)
      const isReported = said.includes('unknown') || said.includes('failed')
      const isTrue = said.every((each) => each === 'unknown' || each === 'failed' || isStored)
      return [
        ...(added > 0 && !isStored && !isReported ? [`every add is stored: "${upload.name}" of ${name} is not`] : []),
        ...(isTrue ? [] : [`each result is true: "${upload.name}" of ${name} is ${said}, and not stored`]),
        ...(said.length >= added ? [] : [`each add has a result: "${upload.name}" of ${name}: ${said} for ${added}`]),
      ]
    }),
  )
}

/** "A second copy is always reported": by `duplicate`, or because an unknown result names it. */
function brokenCopies(apps: readonly App[], service: Service): string[] {
  const results = apps.flatMap(({ conversations }) => conversations.flatMap((each) => each.results))
  return [...storedBy(service)].flatMap(([content, ids]) => {
    const own = results.filter(({ item }) => item.name === content)
    const isReported = own.some(({ result }) => result === 'duplicate' || result === 'unknown')
    return ids.length === 1 || isReported
      ? []
      : [
          `a second copy is always reported: "${content}" is stored as ${ids}, and the results are ${own.map(({ result }) => result)}`,
        ]
  })
}

/** The ids of what the apps have stored, by content. */
function storedBy({ server, project, ofOthers }: Service): Map<string, string[]> {
  const stored = new Map<string, string[]>()
  for (const { record, turns } of server.world.transcripts(project)) {
    if (ofOthers.has(record.id)) continue
    const content = contentOf({ turns })
    stored.set(content, [...(stored.get(content) ?? []), record.id])
  }
  return stored
}
