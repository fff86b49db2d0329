import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Turn } from '@svc/reference-server/core'
import { expect } from 'vitest'
import { get, list, post } from './asking.js'
import { type buildServing, projectId, type Serving, type Start, urlOf } from './serving.js'

/** The turns that were sent and the ids that were answered with 201, both by name. */
interface Sent {
  turns: Map<string, Turn[]>
  answered: Map<string, string>
  /** Ids that were read after some start. */
  read: Set<string>
}

type Program = Awaited<ReturnType<typeof buildServing>>

/**
 * Serves a folder, uploads from several callers at once, kills the server in the middle of it, and starts it again, as
 * often as given. After each start, everything that was answered is there, and nothing is there by half.
 */
export async function killRounds(
  program: Program,
  folder: string,
  rounds: number,
  start: (round: number) => Start = () => ({}),
) {
  const sent: Sent = { turns: new Map(), answered: new Map(), read: new Set() }
  let ambiguous = 0
  let interrupted = 0
  for (let round = 0; round <= rounds; round += 1) {
    const serving = await program.serve(folder, start(round))
    try {
      if (round === rounds) sent.read.clear()
      ambiguous = await findAll(urlOf(serving), sent)
      if (round < rounds) await uploadUntilKilled(serving, round, sent)
    } finally {
      await serving.kill()
    }
    expect(serving.errors()).toBe('')
    if (isUnfinished(folder)) interrupted += 1
  }
  return { answered: sent.answered.size, ambiguous, interrupted }
}

/** True if the server was killed during a write: the journal is there, with which the next start undoes it. */
function isUnfinished(folder: string): boolean {
  const journal = join(folder, 'world.db-journal')
  return existsSync(journal) && statSync(journal).size > 0
}

const callers = 6

/** Kills the server once some uploads were answered, at a moment that is chosen by chance, as others are under way. */
async function uploadUntilKilled(serving: Serving, round: number, sent: Sent): Promise<void> {
  const url = urlOf(serving)
  const enough = sent.answered.size + 4 + Math.floor(Math.random() * 40)
  const call = async (caller: number) => {
    for (let i = 0; ; i += 1) {
      const name = `${round}-${caller}-${i}`
      // Some are long, so that one is often being written when the end comes.
      const turns = turnsOf(name, (caller + i) % 3 === 0 ? 120_000 : 200)
      sent.turns.set(name, turns)
      const response = await post(url, { name, turns, process: false }).catch(() => undefined)
      if (!response) return
      expect(response.status).toBe(201)
      const id = await response.json().then(
        ({ data }) => data.id as string,
        () => undefined,
      )
      if (id === undefined) return
      expect(sent.answered.has(id), `the id ${id} was given before`).toBe(false)
      sent.answered.set(id, name)
      if (sent.answered.size === enough) setTimeout(() => serving.process.kill('SIGKILL'), Math.random() * 20)
    }
  }
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)))
}

/** Lists all of it, and reads what was not read yet; gives how many uploads are there whose answer never came. */
async function findAll(url: string, { turns, answered, read }: Sent): Promise<number> {
  const listed = await list(url)
  const ids = new Set(listed.map(({ id }) => id))
  expect(ids.size).toBe(listed.length)
  expect([...answered.keys()].filter((id) => !ids.has(id))).toEqual([])
  for (const { id, name, turn_count } of listed.filter(({ id }) => !read.has(id))) {
    const { data } = await get(`${url}/transcripts/${id}`)
    expect(data).toMatchObject({ id, name, turn_count, annotations: {} })
    expect(JSON.stringify(data.turns)).toBe(JSON.stringify(turns.get(name)))
    if (answered.has(id)) expect(answered.get(id)).toBe(name)
    read.add(id)
  }
  const { data: project } = await get(`${url}/projects/${projectId}`)
  expect(project.transcript_count).toBe(listed.length)
  return listed.length - answered.size
}

const turnsOf = (name: string, length: number): Turn[] => [
  { role: 'user', content: `${name} ${'é'.repeat(length)}` },
  { role: 'assistant', content: name },
]
