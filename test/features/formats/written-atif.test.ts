import { fileIn, parse, type Transcript, toFormat } from '@svc/transcripts'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../helpers/long.js'
import { transcriptsOfCases } from './cases.js'
import { conversations, saidIn, writtenTurns } from './conversations.js'

interface Trajectory {
  session_id: string
  trajectory_id: string
  steps: {
    step_id: number
    source: string
    tool_calls?: { tool_call_id: string }[]
    observation?: { results: { source_call_id?: string }[] }
  }[]
  subagent_trajectories?: Trajectory[]
}

const text = { type: 'string' }
const objectOf = (properties: object, required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const listOf = (items: object) => ({ type: 'array', items })

/** The fields that the models of Harbor (harbor-framework/harbor, src/harbor/models/trajectories) allow in ATIF 1.7. */
const isTrajectory = new Ajv().compile(
  objectOf(
    {
      schema_version: { const: 'ATIF-v1.7' },
      session_id: text,
      trajectory_id: text,
      agent: objectOf({ name: text, version: text, model_name: text }, ['name', 'version']),
      steps: {
        ...listOf(
          objectOf(
            {
              step_id: { type: 'integer', minimum: 1 },
              timestamp: { ...text, pattern: '^\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z$' },
              source: { enum: ['system', 'user', 'agent'] },
              message: text,
              tool_calls: listOf(
                objectOf({ tool_call_id: text, function_name: text, arguments: { type: 'object' } }, [
                  'tool_call_id',
                  'function_name',
                  'arguments',
                ]),
              ),
              observation: objectOf({ results: listOf(objectOf({ source_call_id: text, content: text }, [])) }, [
                'results',
              ]),
            },
            ['step_id', 'source', 'message'],
          ),
        ),
        minItems: 1,
      },
      notes: text,
      final_metrics: { type: 'object' },
      continued_trajectory_ref: text,
      subagent_trajectories: listOf({ $ref: '#' }),
    },
    ['schema_version', 'agent', 'steps'],
  ),
)

/** Asserts what the models of Harbor check: also how steps are numbered, and what refers to what. */
function expectValid(trajectory: Trajectory): void {
  expect([isTrajectory(trajectory), isTrajectory.errors]).toEqual([true, null])
  const { steps, subagent_trajectories: agents = [] } = trajectory
  expect(steps.map(({ step_id: id }) => id)).toEqual(steps.map((_, at) => at + 1))
  for (const { source, tool_calls: calls = [], observation } of steps) {
    if (source !== 'agent') expect(calls).toEqual([])
    const ids = calls.map(({ tool_call_id: id }) => id)
    for (const { source_call_id: id } of observation?.results ?? []) expect([undefined, ...ids]).toContain(id)
  }
  expect(new Set(agents.map(({ trajectory_id: id }) => id)).size).toBe(agents.length)
  for (const agent of agents) expectValid(agent)
}

function transcriptOf(turns: object[], facts: object = {}): Transcript {
  const [transcript] = parse(JSON.stringify({ ...facts, turns }), { format: 'upload' }).transcripts
  return transcript ?? expect.fail()
}

const bodyOf = (transcript: Transcript): Trajectory => JSON.parse(JSON.stringify(toFormat(transcript, 'atif').body))

function fileOf(transcripts: readonly Transcript[]): string {
  const file = fileIn('atif')
  return [...transcripts.map((each) => file.add(toFormat(each, 'atif').body)), file.end()].join('')
}

const trajectoriesIn = (file: string): Trajectory[] =>
  file
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('a trajectory written as ATIF 1.7', () => {
  it('is valid and read again for each case of a format, or a loss says what differs', () => {
    const transcripts = transcriptsOfCases()
    const differences = ['arguments that are no object', 'result without a call', 'place of a result']
    let equal = 0
    for (const transcript of transcripts) {
      const turns = writtenTurns(transcript)
      if (turns.length === 0) continue
      const { body, losses } = toFormat(transcript, 'atif')
      const text = JSON.stringify(body)
      expectValid(JSON.parse(text))
      if (losses.some(({ what }) => differences.includes(what))) continue
      expect(parse(text).transcripts.map(writtenTurns)).toEqual([turns])
      equal++
    }
    expect(equal).toBeGreaterThan(900)
  })

  it('is not valid with another field, a step without its number, or a result of a call that is not beside it', () => {
    const call = { name: 'f', args: {} }
    const body = bodyOf(
      transcriptOf([
        { role: 'assistant', content: 'x', toolCalls: [call] },
        { role: 'tool', content: 'y', toolResults: [{ name: 'f', result: 'y' }] },
      ]),
    )
    expectValid(body)
    const text = JSON.stringify(body)
    expect(() => expectValid({ ...body, more: 1 } as Trajectory)).toThrow()
    expect(() => expectValid(JSON.parse(text.replace('"step_id":1', '"step_id":2')))).toThrow()
    expect(() => expectValid(JSON.parse(text.replace('"source_call_id":"call_1"', '"source_call_id":"1"')))).toThrow()
  })

  it('of a sub-agent has its own id in the session of its parent, and is read again so', () => {
    const transcript = transcriptOf([{ role: 'user', content: 'Search it' }], {
      externalId: 's-1/sub',
      metadata: { parent_session: 's-1' },
    })
    expect(bodyOf(transcript)).toMatchObject({
      schema_version: 'ATIF-v1.7',
      session_id: 's-1',
      trajectory_id: 's-1/sub',
    })
    const [again] = parse(fileOf([transcript])).transcripts
    expect(again).toMatchObject({ externalId: 's-1/sub', metadata: { session: 's-1' } })
  })

  it('names its continuation, notes and metrics as it was read', () => {
    const trajectory = {
      schema_version: 'ATIF-v1.7',
      session_id: 's-1',
      trajectory_id: 't-1',
      agent: { name: 'helper', version: '2' },
      steps: [{ step_id: 1, source: 'user', message: 'Search it' }],
      notes: 'A test',
      final_metrics: { total_steps: 1 },
      continued_trajectory_ref: 'trajectory.cont-1.json',
    }
    const [transcript = expect.fail()] = parse(JSON.stringify(trajectory)).transcripts
    expect(toFormat(transcript, 'atif')).toEqual({ body: trajectory, losses: [] })
  })

  it('has metadata of the wrong type as a loss', () => {
    const metadata = { notes: ['a'], agent: { name: 'b' }, final_metrics: 1 }
    const { body, losses } = toFormat(transcriptOf([{ role: 'user', content: 'Hi' }], { metadata }), 'atif')
    expectValid(JSON.parse(JSON.stringify(body)))
    expect(losses.map(({ what }) => what)).toEqual(['field "metadata"'])
  })
})

describe('a file of trajectories', () => {
  /** A conversation, and those of its sub-agents, each of which has its own model. */
  const family = fc.tuple(conversations(true), fc.array(conversations(true), { maxLength: 3 }))
  const transcriptsOf = (families: readonly (typeof family extends fc.Arbitrary<infer Each> ? Each : never)[]) =>
    families.flatMap(([own, agents], at) => [
      transcriptOf(saidIn(own), { externalId: `s-${at}`, metadata: { session: 'run' } }),
      ...agents.map((agent, nth) =>
        transcriptOf(saidIn(agent), {
          externalId: `s-${at}/agent-${nth}`,
          modelName: `m-${nth}`,
          metadata: { parent_session: `s-${at}` },
        }),
      ),
    ])

  it('has each with its sub-agents inside, which are read again as the same conversations', () => {
    fc.assert(
      fc.property(fc.array(family, { minLength: 1, maxLength: 3 }), (families) => {
        const transcripts = transcriptsOf(families)
        const file = fileOf(transcripts)
        const all = trajectoriesIn(file)
        for (const each of all) expectValid(each)
        expect(all.map(({ subagent_trajectories: agents }) => agents?.length)).toEqual(
          families.map(([, agents]) => (agents.length > 0 ? agents.length : undefined)),
        )
        const again = parse(file, { format: 'atif', subagents: true }).transcripts
        expect(again.map(writtenTurns)).toEqual(transcripts.map(writtenTurns))
        expect(again.map(({ externalId }) => externalId)).toEqual(transcripts.map(({ externalId }) => externalId))
        expect(again.map(({ modelName }) => modelName)).toEqual(transcripts.map(({ modelName }) => modelName))
        expect(again.map(({ metadata }) => metadata?.parent_session)).toEqual(
          transcripts.map(({ metadata }) => metadata?.parent_session),
        )
        expect(fileOf(again)).toBe(file)
      }),
      { numRuns: runs(15) },
    )
  })

  it('has what is read from a trajectory with sub-agents as that trajectory again', () => {
    const agent = { name: 'helper', version: '1' }
    const trajectory = {
      schema_version: 'ATIF-v1.7',
      session_id: 'run',
      trajectory_id: 'main',
      agent: { name: 'lead', version: '2', model_name: 'm-1' },
      steps: [{ step_id: 1, source: 'user', message: 'Search' }],
      subagent_trajectories: ['a', 'b'].map((id) => ({
        schema_version: 'ATIF-v1.7',
        session_id: 'run',
        trajectory_id: id,
        agent,
        steps: [{ step_id: 1, source: 'user', message: `Find ${id}` }],
        continued_trajectory_ref: `${id}.cont-1.json`,
      })),
    }
    const { transcripts } = parse(JSON.stringify(trajectory), { subagents: true })
    expect(trajectoriesIn(fileOf(transcripts))).toEqual([trajectory])
    expect(transcripts.flatMap((each) => toFormat(each, 'atif').losses)).toEqual([])
  })

  it('has a session of Claude Code with its sub-agent inside', () => {
    const lineOf = (uuid: string, content: string, more: object) => ({
      ...{ type: 'user', sessionId: 's-1', uuid, parentUuid: null, version: '2.1.0', isSidechain: false },
      ...{ timestamp: '2026-01-01T00:00:00.000Z', message: { role: 'user', content } },
      ...more,
    })
    const lines = [lineOf('1', 'Search', {}), lineOf('2', 'Find it', { isSidechain: true, agentId: 'a1' })]
    const { transcripts } = parse(lines.map((line) => JSON.stringify(line)).join('\n'), { subagents: true })
    expect(trajectoriesIn(fileOf(transcripts))).toMatchObject([
      {
        trajectory_id: 's-1',
        steps: [{ message: 'Search' }],
        subagent_trajectories: [{ session_id: 's-1', trajectory_id: 'a1', steps: [{ message: 'Find it' }] }],
      },
    ])
  })

  it('has a sub-agent without its parent before it, an id that is there already, and a branch on lines of their own', () => {
    const said = [{ role: 'user', content: 'Hi' }]
    const of = (externalId: string, metadata: object = {}) => transcriptOf(said, { externalId, metadata })
    const agent = of('s-1/a', { parent_session: 's-1' })
    const idsIn = (transcripts: Transcript[]) =>
      trajectoriesIn(fileOf(transcripts)).map(({ trajectory_id: id, subagent_trajectories: agents = [] }) => [
        id,
        ...agents.map((each) => each.trajectory_id),
      ])
    expect(idsIn([agent, of('s-1')])).toEqual([['s-1/a'], ['s-1']])
    expect(idsIn([of('s-1'), of('s-2'), agent])).toEqual([['s-1'], ['s-2'], ['s-1/a']])
    expect(idsIn([of('s-1'), agent, agent])).toEqual([['s-1', 'a'], ['s-1/a']])
    expect(idsIn([of('s-1'), of('s-1/b', { parent_session: 's-1', branch: true })])).toEqual([['s-1'], ['s-1/b']])
    expect(idsIn([of('s-1'), of('other', { parent_session: 's-1' })])).toEqual([['s-1'], ['other']])
    expect(fileOf([])).toBe('')
  })
})
