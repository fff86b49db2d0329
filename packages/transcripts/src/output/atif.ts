import { defined, isObject, type JsonObject } from '../json/index.js'
import type { Losses } from '../model/index.js'
import type { Transcript } from '../transcript.js'
import { dropFacts, metadataOf, noPlace, objectOfArgs, type Step } from './steps.js'

/** A trajectory of ATIF. */
export interface Trajectory {
  schema_version: string
  /** The id of the run, which its trajectories share. */
  session_id: string
  trajectory_id: string
  agent: object
  steps: AtifStep[]
  notes?: string | undefined
  final_metrics?: object | undefined
  continued_trajectory_ref?: string | undefined
  subagent_trajectories?: Trajectory[]
}

interface AtifStep {
  step_id: number
  source: string
  message: string
  timestamp?: string
  tool_calls?: { tool_call_id: string; function_name: string; arguments: object }[]
  observation?: { results: { source_call_id?: string; content: string }[] }
}

/** Write a trajectory of ATIF 1.7. */
export function atifTrajectory(transcript: Transcript, steps: readonly Step[], losses: Losses): object {
  const { externalId, name, modelName, sourceSystem } = transcript
  const { texts, others } = metadataOf(transcript, [
    'agent',
    'agent_version',
    'schema_version',
    'session',
    'parent_session',
    'notes',
    'continued_in',
  ])
  const { agent = sourceSystem, agent_version: version, session, parent_session: parent = session } = texts
  const { final_metrics: metrics, ...unwritten } = others
  dropFacts({ ...transcript, metadata: isObject(metrics) ? unwritten : others }, ['modelName', 'externalId'], losses)
  const written: AtifStep[] = []
  const callers = new Map<string, AtifStep>()
  for (const step of steps) {
    if (step.kind === 'result') {
      const caller = callers.get(step.id)
      if (caller && caller !== written.at(-1)) losses.add('changed', 'place of a result', 'written beside its call')
      const target = caller ?? written.at(-1)
      if (target) {
        if (!caller) losses.add('changed', 'result without a call', 'written as an observation, which has no tool')
        target.observation ??= { results: [] }
        target.observation.results.push({ ...(caller && { source_call_id: step.id }), content: step.output })
      } else losses.drop('result without a call', noPlace)
      continue
    }
    const { turn, role, text, calls } = step
    const toolCalls = calls.map(({ id, name, args }) => {
      return { tool_call_id: id, function_name: name, arguments: objectOfArgs(args, losses) }
    })
    const own: AtifStep = {
      step_id: written.length + 1,
      source: role === 'assistant' ? 'agent' : role,
      message: text,
      ...(turn.createdAt !== undefined && { timestamp: turn.createdAt }),
      ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    }
    written.push(own)
    for (const { id } of calls) callers.set(id, own)
  }
  const id = externalId ?? name ?? `transcript ${transcript.place.record}`
  const isBranch = others.branch !== undefined || others.branch_before !== undefined
  return defined<Trajectory>({
    schema_version: 'ATIF-v1.7',
    // The trajectories of a run, also those of its sub-agents, share the id of the session.
    session_id: (isBranch ? undefined : parent) ?? id,
    trajectory_id: id,
    agent: defined<JsonObject>({ name: agent ?? 'unknown', version: version ?? 'unknown', model_name: modelName }),
    steps: written,
    notes: texts.notes,
    final_metrics: isObject(metrics) ? metrics : undefined,
    continued_trajectory_ref: texts.continued_in,
  })
}

/**
 * Lines of trajectories. That of a sub-agent, whose id begins with the id of its parent, goes inside the trajectory of its parent
 * if only others of the same parent are between them.
 */
export function joinedTrajectories(textOf: (body: object) => string): { add(body: Trajectory): string; end(): string } {
  let parent: Trajectory | undefined
  const agents = new Map<string, Trajectory>()
  const end = () => {
    if (parent === undefined) return ''
    const inside = agents.size > 0 && { subagent_trajectories: [...agents.values()] }
    return `${textOf({ ...parent, ...inside })}\n`
  }
  return {
    add(body) {
      const id = parent && idInside(body, parent)
      if (parent && id !== undefined && !agents.has(id)) {
        agents.set(id, { ...body, session_id: parent.session_id, trajectory_id: id })
        return ''
      }
      const text = end()
      parent = body
      agents.clear()
      return text
    },
    end,
  }
}

/** The id of a sub-agent inside its parent; undefined for any other trajectory. */
function idInside({ session_id: session, trajectory_id: id }: Trajectory, parent: Trajectory): string | undefined {
  const prefix = `${parent.trajectory_id}/`
  return session === parent.trajectory_id && id.startsWith(prefix) ? id.slice(prefix.length) : undefined
}
