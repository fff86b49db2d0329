export { codexExec } from './exec.js'
export { codex } from './rollout.js'
