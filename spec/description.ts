import { readFile } from 'node:fs/promises'
import { parse, stringify } from 'yaml'
import { type Description, merge, type Part } from './merge.js'
import { renderPage } from './page.js'

// Placeholders that the reference server replaces by its base URLs.
const server = '%BASE_URL%'
const workspaceServer = '%WORKSPACE_SERVER%'
const prefix = '%WORKSPACE_PREFIX%'

export interface Form {
  text: string
  /** The `servers` entry of a workspace path, removed if both surfaces have the same server; '' if there is none. */
  ownServer: string
}

/** The description of both surfaces, as documents and as a page. */
export async function describeService(): Promise<Record<'json' | 'yaml' | 'page', Form>> {
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
  const style = (await readFile(new URL('page.css', import.meta.url), 'utf8')).replaceAll(/\s*\n\s*/g, '')
  return {
    json: { text: JSON.stringify(whole), ownServer: `"servers":[{"url":"${workspaceServer}"}],` },
    yaml: {
      text: stringify(whole, { lineWidth: 0, blockQuote: 'literal' }),
      ownServer: `    servers:\n      - url: "${workspaceServer}"\n`,
    },
    page: { text: renderPage(whole, parts, server, style), ownServer: '' },
  }
}

/** The description of the control plane, with a placeholder for its address. */
export async function describeControl(): Promise<string> {
  const { servers: _, ...document } = await load('control')
  return JSON.stringify({ ...document, servers: [{ url: '%CONTROL_URL%' }] })
}

const load = async (surface: string): Promise<Description> =>
  parse(await readFile(new URL(`${surface}.openapi.yaml`, import.meta.url), 'utf8'))
