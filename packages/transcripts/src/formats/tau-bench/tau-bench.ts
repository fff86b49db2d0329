import { defineFormat } from '../../contract/index.js'
import { idOf } from '../../conversation/index.js'

/** Results of tau-bench: one record is one trial of one task. */
export const tauBench = defineFormat({
  id: 'tau-bench',
  title: 'tau-bench results',
  accepts: '{ "task_id", "trial"?, "reward", "info", "traj": [{ "role", "content", "tool_calls"? }] }',
  signature: { 'traj[] task_id': 0.95, 'traj[] reward': 0.95 },
  messages: 'traj',
  shape: 'openai',
  conversation: {
    externalId: ({ task_id, trial }) => [idOf(task_id), idOf(trial)].filter((id) => id !== undefined).join(':'),
    metadata: { task_id: ({ task_id }) => idOf(task_id), trial: ({ trial }) => idOf(trial), reward: 'reward' },
  },
  failure: 'info.error',
  lost: ['info'],
})
