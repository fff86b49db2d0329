import { expect, it } from 'vitest'
import { Losses, reasons } from '../model/losses.js'
import { contentOf } from './content.js'

const base64 = 'QUJD'.repeat(11_605)

it('joins text and refusals with line breaks', () => {
  const losses = new Losses()
  const parts = [
    { type: 'text', text: 'a' },
    'b',
    { type: 'output_text', text: 'c' },
    { type: 'refusal', refusal: 'no' },
  ]
  expect(contentOf(parts, losses)).toEqual({ text: 'a\nb\nc\nno', media: [], thinking: [] })
  expect(losses.list()).toEqual([])
})

it.each([
  [{ type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } }, '[image: image/png, 34 KB]'],
  [{ type: 'image_url', image_url: 'https://example.com/a.png' }, '[image: https://example.com/a.png]'],
  [{ type: 'image_url', image_url: { url: base64 } }, '[image: 34 KB]'],
  [{ type: 'input_image', image_url: 'data:;base64,QUI=' }, '[image: 2 bytes]'],
  [{ type: 'image_url' }, '[image]'],
  [{ type: 'input_audio', input_audio: { data: base64, format: 'wav' } }, '[audio: audio/wav, 34 KB]'],
  [
    { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${base64}` } },
    '[file: a.pdf, application/pdf, 34 KB]',
  ],
  [{ type: 'file', file: { file_id: 'file-7' } }, '[file: file-7]'],
  [{ type: 'input_audio', input_audio: { data: 'A'.repeat(4_000_000) } }, '[audio: 2.9 MB]'],
])('writes a placeholder and never base64', (part, text) => {
  const losses = new Losses()
  const read = contentOf([part], losses)
  expect(read.text).toBe(text)
  expect(JSON.stringify(read)).not.toContain('QUJDQUJD')
  expect(losses.list()).toMatchObject([{ code: 'dropped', what: `${read.media[0]?.kind} part`, count: 1 }])
})

it('keeps thinking apart from the content', () => {
  const parts = [
    { type: 'thinking', thinking: 'hm' },
    { type: 'text', text: 'a' },
    { type: 'reasoning', summary: [{ text: 'b' }, { text: 'c' }] },
    { type: 'redacted_thinking', data: 'x' },
  ]
  expect(contentOf(parts, new Losses())).toEqual({ text: 'a', media: [], thinking: ['hm', 'b\nc', ''] })
})

it('keeps the facts about media for the metadata', () => {
  const { media } = contentOf(
    [{ type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } }],
    new Losses(),
  )
  expect(media).toEqual([{ kind: 'image', mime_type: 'image/png', bytes: 34_815 }])
})

it('shortens a URL that is a document of its own', () => {
  const read = contentOf([{ type: 'image_url', image_url: `https://example.com/${'a'.repeat(9000)}` }], new Losses())
  expect(read.text.length).toBeLessThan(520)
})

it.each([
  [5, '5'],
  [[5, true, 'b'], '5\ntrue\nb'],
  [{ answer: 'a' }, '{"answer":"a"}'],
  [[{ type: 'text', text: 5 }], '5'],
  [[{ type: 'text', text: ['a', 'b'] }], '["a","b"]'],
  [[{ type: 'text', text: { value: 'a', annotations: [] } }], 'a'],
  [[{ type: 'output_text', content: { a: 1 } }], '{"a":1}'],
])('reads a value in the place of a text: %j', (content, text) => {
  const losses = new Losses()
  expect(contentOf(content, losses).text).toBe(text)
  expect(losses.list()).toEqual([])
})

it('reads no bytes in the place of a text', () => {
  const losses = new Losses()
  expect(contentOf([{ type: 'text', text: { data: base64 } }, { data: base64 }], losses).text).toBe('')
  expect(losses.list()).toMatchObject([{ what: 'text part' }, { what: 'unknown part' }])
})

it('drops and counts parts it does not know', () => {
  const losses = new Losses()
  expect(contentOf([{ type: 'hologram' }, null, { type: 'text', text: 'a' }], losses).text).toBe('a')
  expect(losses.list()).toEqual([
    { code: 'dropped', what: 'hologram part', why: reasons.noField, count: 1 },
    { code: 'dropped', what: 'unknown part', why: reasons.noField, count: 1 },
  ])
})
