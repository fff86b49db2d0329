import { describe, expect, it } from 'vitest'
import { countsOf, files, folder, readReal, reason, titled } from './folder.js'
import { referenceCounts } from './reference-counts.js'

const counts: ReadonlyMap<string, Record<string, unknown>> = folder === undefined ? new Map() : referenceCounts()
const inFolder = (name: string) => [...counts].filter(([file]) => file.startsWith(`${name}/`))
const roles = (expected: Record<string, unknown>) => (expected.roles ?? expected) as Record<string, number>

/** The counts that differ from the reference on purpose. */
const differing: Record<string, Partial<ReturnType<typeof countsOf>>> = {
  // Two of the three user lines that a local command wrote are no person's words, and a part of the third.
  // Content that is a list of a bare text is read.
  'claude-code/edge_cases.jsonl': { user: 5, system: 3 },
  // The last message says nothing.
  'swe-agent/mini_local.traj.json': { user: 2 },
}

/** Files whose reference has no turn: they are refused with this reason. */
const refused: Record<string, RegExp> = {
  'claude-code/scout_agent-atest01.jsonl': /4 of sub-agents/,
  'claude-code/subagent/0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f/subagents/agent-a0ad4f44468bdf20d.jsonl':
    /3 of sub-agents/,
  'codex/codex_050_legacy.jsonl': /a Codex session of \d+ lines without messages/,
}

describe.skipIf(folder === undefined)(`the reference counts${reason}`, () => {
  it('are of files that are there', () => {
    expect(counts.size).toBeGreaterThan(40)
    expect([...counts.keys()].filter((file) => !files.includes(file))).toEqual([])
  })

  const read = async (file: string) => countsOf((await readReal(file)).transcripts)

  it.each(Object.entries(refused).map(([file, why]) => [...titled(file), why] as const))(
    'contains no counts of a refused file: %s',
    async (_, file, why) => {
      await expect(readReal(file)).rejects.toThrow(why)
    },
  )

  it.each(inFolder('claude-code').filter(([file]) => !(file in refused)))('are met by %s', async (file, expected) => {
    const { transcripts } = await readReal(file)
    const found = countsOf(transcripts)
    expect(found).toMatchObject({
      user: roles(expected).user ?? 0,
      assistant: roles(expected).assistant ?? 0,
      tool: roles(expected).tool ?? 0,
      compaction: roles(expected).compact ?? 0,
      calls: expected.tool_calls,
      unmatched: expected.unmatched_results,
      ...differing[file],
    })
    expect(transcripts).toHaveLength((expected.clear as number) + 1)
  })

  it.each(inFolder('codex').filter(([file]) => !(file in refused)))('are met by %s', async (file, expected) => {
    const found = await read(file)
    expect(found).toMatchObject({
      user: roles(expected).user ?? 0,
      assistantText: roles(expected).assistant_text ?? 0,
      injected: expected.injected_user,
      calls: expected.tool_calls,
      results: expected.tool_results,
      unmatched: expected.unmatched_results,
    })
    expect(found.developer).toBe(expected.developer)
  })

  it.each([...inFolder('openai-chat'), ...inFolder('tau-bench')])('are met by %s', async (file, expected) => {
    const { transcripts } = await readReal(file)
    expect(countsOf(transcripts)).toMatchObject({
      ...roles(expected),
      turns: expected.turns,
      calls: expected.tool_calls,
      unmatched: expected.unmatched,
    })
    expect(transcripts).toHaveLength(expected.total as number)
  })

  it.each(inFolder('inspect'))('are met by %s', async (file, expected) => {
    const { transcripts } = await readReal(file)
    expect(countsOf(transcripts)).toMatchObject({ ...roles(expected), calls: expected.tool_calls })
    expect(transcripts).toHaveLength(expected.samples as number)
    const media = transcripts.flatMap(({ turns }) => turns.flatMap(({ metadata }) => metadata?.media ?? []))
    expect(media).toHaveLength(expected.images as number)
    expect(transcripts[0]?.modelName).toBe(expected.model)
  })

  it.each(inFolder('chatgpt-export'))('are met by %s', async (file, { conversations, user, assistant }) => {
    const { transcripts } = await readReal(file)
    expect(countsOf(transcripts)).toMatchObject({ user, assistant })
    expect(transcripts).toHaveLength(conversations as number)
  })

  it.each(inFolder('sharegpt'))('are met by %s', async (file, expected) => {
    const { human, user, gpt = 0, assistant, function_call: calls = 0, observation = 0, total } = expected
    const { transcripts } = await readReal(file)
    expect(countsOf(transcripts)).toMatchObject({ user: human ?? user, tool: observation, calls })
    expect(countsOf(transcripts).assistantText).toBe(assistant ?? gpt)
    expect(transcripts).toHaveLength(total as number)
  })

  it.each(inFolder('swe-agent'))('are met by %s', async (file, { total: _total, demo: _demo, ...expected }) => {
    const { tool_calls: calls, ...by } = expected
    expect(await read(file)).toMatchObject({ ...by, calls, ...differing[file] })
  })

  it.each(inFolder('gemini-cli'))('are met by %s', async (file, { user, gemini = 0, model = 0, tool_calls: calls }) => {
    const expected = { user, assistant: (gemini as number) + (model as number), calls }
    expect(await read(file)).toMatchObject(expected)
  })

  it.each(inFolder('oasst'))('are met by %s', async (file, expected) => {
    expect((await readReal(file)).transcripts).toHaveLength(expected.total as number)
    const { transcripts } = await readReal(file, { branches: true })
    expect(transcripts).toHaveLength(expected['leaf paths'] as number)
  })
})
