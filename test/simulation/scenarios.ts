import { drawAnnotations } from './programs/annotate.js'
import { drawApps } from './programs/apps.js'
import { drawChecks } from './programs/check.js'
import { drawClientCalls } from './programs/client.js'
import { drawMachines } from './programs/machines.js'
import type { DrawScenario } from './programs/program.js'
import { drawUploadCommands } from './programs/upload.js'
import { drawUploads } from './programs/upload-all.js'
import { drawUploadsCommands } from './programs/uploads.js'

/** The scenarios, by the name that `--program` takes. */
export const scenarios = {
  uploadAll: drawUploads,
  machines: drawMachines,
  apps: drawApps,
  upload: drawUploadCommands,
  uploads: drawUploadsCommands,
  client: drawClientCalls,
  check: drawChecks,
  annotate: drawAnnotations,
} satisfies Record<string, DrawScenario>

export type ScenarioName = keyof typeof scenarios
