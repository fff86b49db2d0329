import { expect, test } from 'vitest'
import { probeOfPhrases } from './phrase-glance.js'
import { Sketches } from './sketch.js'

const mayOccur = (source: string, content: string) => new Sketches().of([{ content }]).mayHold(probeOfPhrases(source))

test.each([
  ['fed up', 'I am Fed Up', true],
  ['fed up', 'I am fine', false],
  ['(?:file|make) a complaint', 'FILE A COMPLAINT', true],
  ['(?:file|make) a complaint', 'write a complaint', false],
  ['talk to (?:(?:a|the) ){0,3}human', 'talk to human', true],
  ['talk to (?:(?:a|the) ){0,3}human', 'talk to them', false],
  ['apologi[sz]e', 'I apologize', true],
  ['colou?r', 'color', true],
  ['no|thank you', 'nothing', true],
])('%s in "%s": %s', (source, content, expected) => {
  expect(mayOccur(source, content)).toBe(expected)
})

test.each(['a+', 'a*', 'a.b', '(a)', '(?:a', 'a)', 'a{1,2}', '^a', '\\ba', 'A'])('%s is no phrase', (source) => {
  expect(() => probeOfPhrases(source)).toThrow(Error)
})
