import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** GitHub's own parser, and what it says against workflows and actions, and the expressions in them. */
export async function githubParser() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-github-parser-'))
  const outfile = join(folder, 'workflow-parser.mjs')
  const index = fileURLToPath(import.meta.resolve('@actions/workflow-parser'))
  // It keeps the parser of actions to itself, and imports JSON in a way that only bundlers take.
  const contents = "export * from './index.js'; export { parseAction } from './actions/action-parser.js'"
  const stdin = { contents, resolveDir: dirname(index) }
  await build({ stdin, bundle: true, platform: 'node', format: 'esm', outfile })
  const parser: typeof import('@actions/workflow-parser') & {
    parseAction: typeof import('@actions/workflow-parser').parseWorkflow
  } = await import(outfile)
  rmSync(folder, { recursive: true })
  const trace = new parser.NoOperationTraceWriter()
  return {
    async complaints(content: string): Promise<string[]> {
      const { context, value } = parser.parseWorkflow({ name: 'workflow.yml', content }, trace)
      if (value) await parser.convertWorkflowTemplate(context, value)
      return context.errors.getErrors().map(({ message }) => message)
    },
    actionComplaints(content: string): string[] {
      const { context } = parser.parseAction({ name: 'action.yml', content }, trace)
      return context.errors.getErrors().map(({ message }) => message)
    },
  }
}
