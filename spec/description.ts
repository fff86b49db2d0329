import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { type Description, merge, type Part } from './merge.js'

// Placeholders that the reference server replaces by its base URLs.
const server = '%BASE_URL%'
const workspaceServer = '%WORKSPACE_SERVER%'
const prefix = '%WORKSPACE_PREFIX%'

/** The description of both surfaces, and the `servers` entry of a workspace path, which goes if both have the same server. */
export async function describeService(): Promise<{ text: string; ownServer: string }> {
  const parts: Part[] = [
    { name: 'annotation', document: await load('annotation'), prefix: '' },
    { name: 'workspace', document: await load('workspace'), prefix, server: workspaceServer },
  ]
  const infos = parts.map(({ document }) => document.info)
  const info: Description['info'] = {
    title: 'Transcript Service',
    version: parts.map(({ name, document }) => `${name} ${document.info.version}`).join(', '),
    summary: 'Both surfaces of the transcript service: annotation and workspace.',
    description: infos
      .map(({ title, summary, description }) => `## ${title}\n\n${summary}\n\n${description}`)
      .join('\n'),
    contact: infos[0]?.contact ?? {},
    license: infos[0]?.license ?? {},
  }
  const whole = merge(parts, info, server)
  return { text: JSON.stringify(whole), ownServer: `"servers":[{"url":"${workspaceServer}"}],` }
}

/** The description of the control plane, with a placeholder for its address. */
export async function describeControl(): Promise<string> {
  const { servers: _, ...document } = await load('control')
  return JSON.stringify({ ...document, servers: [{ url: '%CONTROL_URL%' }] })
}

const load = async (surface: string): Promise<Description> =>
  parse(await readFile(new URL(`${surface}.openapi.yaml`, import.meta.url), 'utf8'))
