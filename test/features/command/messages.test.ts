import { stripVTControlCharacters, styleText } from 'node:util'
import { expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'

const toned = (format: 'cyan' | 'yellow', word: string) => styleText(format, word, { validateStream: false })
const open = { env: { SVC_CONFIG: 'open.json' }, files: { 'open.json': '{}' } }
const list = ['projects', 'list', '--page', 'zero']

it('the first words of warnings and hints are told apart by colour, where there is colour', async () => {
  const { svc } = createShell()
  expect((await svc([...list, '--color', 'always'])).err).toContain(`\n${toned('cyan', 'hint')}: `)
  expect((await svc(['config', 'list', '--color', 'always'], open)).err).toContain(`${toned('yellow', 'warning')}: `)
})

it.each([[[]], [['--color', 'never']]])('messages have no colour in a pipe with %j', async (flags) => {
  const { svc } = createShell()
  const messages = (await svc([...list, ...flags])).err + (await svc(['config', 'list', ...flags], open)).err
  expect(messages).toMatch(/^warning: /m)
  expect(messages).toMatch(/^hint: /m)
  expect(messages).toBe(stripVTControlCharacters(messages))
})
