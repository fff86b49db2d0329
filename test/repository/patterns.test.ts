import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { isLong } from '../helpers/long.js'

// The analyser in JavaScript, and no process of Java or of a binary; it is read when the module is loaded.
process.env.RECHECK_SYNC_BACKEND = 'pure'
const { checkSync } = await import('recheck')

/**
 * The expressions that were analysed, one a line: half a minute of CPU. Only others are, unless `SVC_PATTERNS` is `all`,
 * as in `test:full`, which writes the list, too.
 */
const list = new URL('analysed-patterns.txt', import.meta.url)

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Every regular expression of the source that can repeat without a bound, and where it stands first. */
function expressions(): Map<string, string> {
  const files = execFileSync('git', ['ls-files', 'packages'], { cwd: root, encoding: 'utf8' }).split('\n')
  const found = new Map<string, string>()
  for (const file of files.filter(
    (each) => /\/src\/.*\.ts$/.test(each) && !/\.test\.ts$|fixture|generated/.test(each),
  )) {
    const source = ts.createSourceFile(file, readFileSync(`${root}/${file}`, 'utf8'), ts.ScriptTarget.Latest)
    const visit = (node: ts.Node): void => {
      const text = ts.isRegularExpressionLiteral(node) ? node.getText(source) : ''
      if (/[*+]|\{\d+,\}/.test(text) && !found.has(text)) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart(source))
        found.set(text, `${file}:${line + 1}`)
      }
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  return found
}

it('no regular expression of the source takes more than linear time for any text', () => {
  const slow: string[] = []
  const all = expressions()
  expect(all.size).toBeGreaterThan(100)
  const analysed = new Set(isLong ? [] : readFileSync(list, 'utf8').split('\n'))
  for (const [text, place] of all) {
    if (analysed.has(text)) continue
    const end = text.lastIndexOf('/')
    // Expressions with lookaheads are tried with texts instead of proved: so many that the test stays short.
    const limits = {
      timeout: null,
      // Neither does a time limit decide.
      attackTimeout: null,
      incubationTimeout: null,
      recallTimeout: null,
      seedingTimeout: null,
      randomSeed: 1,
      maxIteration: 1,
      mutationSize: 10,
      maxGenerationSize: 30,
      incubationLimit: 5_000,
      maxAttackStringSize: 10_000,
    }
    const { status, ...result } = checkSync(text.slice(1, end), text.slice(end + 1).replace('v', 'u'), limits)
    const why = 'complexity' in result ? result.complexity?.summary : ''
    if (status !== 'safe') slow.push(`${place}: ${text} is ${status}, ${why}`)
  }
  expect(slow).toEqual([])
  if (isLong) writeFileSync(list, `${[...all.keys()].sort().join('\n')}\n`)
})
