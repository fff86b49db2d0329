import type { DrawScenario } from './programs/program.js'
import { drawUploads } from './programs/upload-all.js'

/** What the programs of a world are, by the name that `--program` takes. */
export const scenarios = {
  uploadAll: drawUploads,
} satisfies Record<string, DrawScenario>

export type ScenarioName = keyof typeof scenarios
