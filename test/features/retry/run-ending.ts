import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { referenceKey } from '@svc/reference-server'
import { build } from 'esbuild'
import type { Task } from './ending-child.js'
import { endingFaults } from './ending-faults.js'
import { type EndingName, endingOf } from './endings.js'
import { openLab } from './lab.js'
import { strangers } from './strangers.js'
import { type Transport, transports } from './transports.js'

/** How a process ended whose one call ended in some way. */
export interface EndedProcess {
  code: number | null
  outcome: string
  /** The resources that kept it alive after its last await, as Node names them. */
  resources: string[]
  /** Milliseconds from its last await to its end; for a bench, no test asserts it. */
  livedMs: number
  err: string
}

/** Builds the program from the sources; `run` starts it once for a way to end, `remove` deletes it. */
export async function buildEndingProgram() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-ending-'))
  const program = join(folder, 'child.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL('ending-child.ts', import.meta.url))],
    ...{ outfile: program, bundle: true, platform: 'node', format: 'esm', target: 'node20', external: ['undici'] },
    tsconfig: fileURLToPath(new URL('../../../tsconfig.json', import.meta.url)),
    logLevel: 'error',
  })
  return {
    run: (ending: EndingName, transport: Task['transport']) => runEnding(program, ending, transport),
    remove: () => rmSync(folder, { recursive: true }),
  }
}

/** The lab only serves here: the client under test is in the other process, and its clock is the machine's. */
const served = transports[0] as Transport

async function runEnding(program: string, ending: EndingName, transport: Task['transport']): Promise<EndedProcess> {
  const fault = endingFaults[ending]
  const stranger = 'stranger' in fault ? await strangers[fault.stranger]() : undefined
  const lab = await openLab(served, { script: 'script' in fault ? fault.script : [] })
  const { service, counts } = lab.server
  const { baseUrl = service.baseUrl, publicBaseUrl = service.publicBaseUrl } = stranger
    ? { baseUrl: stranger.origin, publicBaseUrl: stranger.origin }
    : {}
  const task: Task = { ending, transport, baseUrl, publicBaseUrl, apiKey: referenceKey, projectId: lab.projectId }
  const child = spawn(process.execPath, [program, JSON.stringify(task)], { stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let err = ''
  let saidAt = 0
  child.stdout.on('data', (chunk) => {
    saidAt ||= performance.now()
    out += chunk
    // Something that has to be waited for is enough to know.
    if (!out.endsWith('"resources":[]}')) child.kill()
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const { stopsAt } = endingOf(ending)
  if (stopsAt) {
    const reached = () => child.exitCode !== null || (stranger ? stranger.connections() > 0 : counts.held > 0)
    await lab.when(reached)
    child.kill('SIGUSR2')
  }
  const code = await ended
  const livedMs = performance.now() - saidAt
  await lab.close()
  await stranger?.close()
  const said = out === '' ? { outcome: 'nothing', resources: [] } : JSON.parse(out)
  return { ...said, code, err, livedMs }
}
