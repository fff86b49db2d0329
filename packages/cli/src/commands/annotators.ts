import type { Command } from 'commander'
import { refuseMalformed, wrongItems } from '../errors.js'
import { cell, printJson, printRows } from '../output/index.js'
import { type Action, examples, type SetAction } from './action.js'

export const listAnnotators: Action<[], object> = async (context) => {
  const annotators = await (await context.client()).annotators.list(context.call())
  if (context.flags.json) printJson(context, { schema: 'svc/annotators@1', annotators })
  else {
    refuseMalformed(wrongItems(annotators, '/annotators', { id: 'a text' }))
    await printRows(
      context,
      ['ID', 'VERSION', { title: 'TAXONOMY', drop: 1 }, { title: 'DESCRIPTION', least: 24 }],
      annotators.map((each) => [each.id, each.annotator_version, each.taxonomy_version, each.description].map(cell)),
    )
  }
}

export function annotatorsCommand(annotators: Command, setAction: SetAction): void {
  const list = annotators
    .command('list')
    .description('List the annotators with their versions; sends the key if one is set')
    .addHelpText('after', examples('svc annotators list', 'svc annotators list --json'))
  setAction(list, listAnnotators)
}
