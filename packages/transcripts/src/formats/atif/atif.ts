import { defineFormat } from '../../contract/index.js'
import { asList, isObject } from '../../json/index.js'

export const atif = defineFormat({
  id: 'atif',
  title: 'ATIF trajectory (Harbor)',
  accepts: '{ "schema_version": "ATIF-v1.x", "agent", "steps": [{ "step_id", "source", "message" }] }',
  signature: { 'schema_version=ATIF* steps[]': 0.99, 'steps[].source=system|user|agent steps[].step_id': 0.8 },
  conversation: {
    // The session is that of a run, which may have several trajectories.
    externalId: ['trajectory_id', 'session_id'],
    modelName: 'agent.model_name',
    metadata: {
      schema_version: 'schema_version',
      session: ({ session_id: session, trajectory_id: own }) =>
        own === undefined || own === session ? undefined : session,
      agent: 'agent.name',
      agent_version: 'agent.version',
      notes: 'notes',
      continued_in: 'continued_trajectory_ref',
      final_metrics: 'final_metrics',
    },
  },
  subagents: { in: 'subagent_trajectories', id: ['trajectory_id', 'agent.name', 'session_id'] },
  messages: 'steps',
  role: 'source',
  roles: { system: 'system', user: 'user', assistant: 'agent' },
  text: 'message',
  thinking: 'reasoning_content',
  time: 'timestamp',
  model: 'model_name',
  repeats: 'is_copied_context',
  calls: { in: 'tool_calls', id: 'tool_call_id', name: 'function_name', args: 'arguments' },
  results: {
    in: 'observation.results',
    id: 'source_call_id',
    output: 'content',
    metadata: {
      subagents: ({ subagent_trajectory_ref: refs }) =>
        asList(refs).map((ref) => (isObject(ref) ? (ref.trajectory_id ?? ref.trajectory_path ?? ref.session_id) : ref)),
    },
  },
  lost: ['agent.tool_definitions', 'agent.extra'],
  structure: 'reasoning_effort',
})
