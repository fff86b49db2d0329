import { expect, it } from 'vitest'
import { gathered } from './gathered.js'

function output() {
  const written: string[] = []
  const due: (() => void)[] = []
  const clock = {
    now: () => 0,
    random: () => 0,
    after(_ms: number, callback: () => void) {
      due.push(callback)
      return () => void due.splice(due.indexOf(callback), 1)
    },
  }
  return {
    written,
    due,
    lines: gathered({ isTTY: false, columns: 80, write: (text) => void written.push(text) }, clock),
  }
}

it('writes what comes within a while at once', () => {
  const { written, due, lines } = output()
  lines.write('a\n')
  lines.write('b\n')
  expect(written).toEqual([])
  due[0]?.()
  expect(written).toEqual(['a\nb\n'])
  lines.write('c\n')
  lines.flush()
  lines.flush()
  expect(written).toEqual(['a\nb\n', 'c\n'])
  expect(due).toEqual([])
})

it('holds no more than so much', () => {
  const { written, due, lines } = output()
  lines.write('x'.repeat(70_000))
  expect(written.join('')).toHaveLength(70_000)
  expect(due).toEqual([])
})
