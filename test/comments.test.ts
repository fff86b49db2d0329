import { execFileSync } from 'node:child_process'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { read, root } from './page-files.js'

/** Comments of a text, with lines of `//` that follow each other as one. */
function commentsIn(text: string): { line: number; comment: string }[] {
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest)
  const ranges = new Map<number, ts.CommentRange>()
  const visit = (node: ts.Node): void => {
    const start = node.getFullStart()
    const before = [
      ...(ts.getTrailingCommentRanges(text, start) ?? []),
      ...(ts.getLeadingCommentRanges(text, start) ?? []),
    ]
    for (const range of before) ranges.set(range.pos, range)
    for (const child of node.getChildren(source)) if (!ts.isJSDoc(child)) visit(child)
  }
  visit(source)

  const found: { line: number; end: number; comment: string }[] = []
  for (const { pos, end, kind } of ranges.values()) {
    const comment = text.slice(pos, end).replace(/^\/\/ ?|^\/\*+|\*\/$|^[ \t]*\* ?/gm, '')
    const last = found.at(-1)
    if (kind === ts.SyntaxKind.SingleLineCommentTrivia && last && /^\n[ \t]*$/.test(text.slice(last.end, pos))) {
      Object.assign(last, { end, comment: `${last.comment}\n${comment}` })
    } else found.push({ line: source.getLineAndCharacterOfPosition(pos).line + 1, end, comment: comment.trim() })
  }
  return found
}

const words = /\b(?:What|Whether|Where|So)\b/
const mayHave = RegExp(String.raw`(?://|\*).*${words.source}`)
/** The words at the beginning of a comment, a sentence, a paragraph, an item of a list or a tag, and the text after them. */
const sentences = RegExp(
  String.raw`(?:^|[.!?:][)'"\`]*\s+|\n\s*\n|\n\s*- |@\w+ (?:\w+ )?(?:- )?)(${words.source}[^.\n]*)`,
  'g',
)

const wrongSentences = (text: string) =>
  // Only texts with a word after the sign of a comment are parsed, because that takes long.
  (mayHave.test(text) ? commentsIn(text) : []).flatMap(({ line, comment }) =>
    [...comment.matchAll(sentences)].map(([, sentence]) => `${line}: ${sentence}`),
  )

it.each([
  ['/** What it is. */', ['1: What it is']],
  ['const a = 1 // A number. So is this.', ['1: So is this']],
  ['{\n  // The end of a\n  // line. Whether it is.\n}', ['2: Whether it is']],
  ['/**\n * One.\n *\n * Where it is.\n */', ['1: Where it is']],
  ['/** @returns Whether it is. */', ['1: Whether it is']],
  ['// Some time. Somewhere, and so on.', []],
  ["const a = ['// What', `// So`, /\\/\\/ Where/]", []],
])('finds the sentences of comments in %j', (text, found) => {
  expect(wrongSentences(text)).toEqual(found)
})

it('no sentence of a comment begins with What, Whether, Where or So', () => {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n')
  const ours = files.filter((file) => /\.[cm]?[jt]s$/.test(file) && !file.includes('/generated/'))
  expect(ours.length).toBeGreaterThan(1_000)
  expect(ours.flatMap((file) => wrongSentences(read(file)).map((sentence) => `${file}:${sentence}`))).toEqual([])
})
