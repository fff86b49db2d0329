import { rules as dates } from './dates.rules.js'
import type { Defects } from './defect.js'
import { rules as filters } from './filters.rules.js'
import { rules as paging } from './paging.rules.js'

const query = 'query.ts'
const filter = 'filter.ts'

export const ofPages: Defects = {
  likely: paging,
  defects: [
    {
      name: 'moves page and limit into their bounds',
      file: query,
      find: 'if (lenient) return',
      replace: 'if (true) return',
    },
    { name: 'gives at most 99 records', file: query, find: 'max: 100 }', replace: 'max: 99 }' },
    { name: 'gives 101 records', file: query, find: 'max: 100 }', replace: 'max: 101 }' },
    { name: 'gives 25 records unasked', file: query, find: 'default: 20,', replace: 'default: 25,' },
    { name: 'counts pages from 0', file: query, find: '(page - 1) * limit', replace: 'page * limit' },
    { name: 'lets pages overlap', file: query, find: 'start + limit)', replace: 'start + limit + 1)' },
    { name: 'loses the last record of a page', file: query, find: 'start + limit)', replace: 'start + limit - 1)' },
    {
      name: 'gives the length of the page as the total',
      file: query,
      find: 'total: items.length',
      replace: 'total: items.slice(start, start + limit).length',
    },
    {
      name: 'reads 1.5 as 1',
      file: query,
      find: 'const value = /^[+-]?\\d+$/.test(text) ? Number(text)',
      replace: 'const value = /^[+-]?[\\d.]+$/.test(text) ? Math.floor(Number(text))',
    },
    {
      name: 'answers 404 past the end',
      file: query,
      find: '  const start = (page - 1) * limit\n',
      replace: `  const start = (page - 1) * limit
  if (start > 0 && start >= items.length) throw new Refusal(404, 'There is no such page.')
`,
    },
    {
      name: 'counts the total before the filters',
      file: 'operations/transcripts.ts',
      find: 'item.record), pagination }',
      replace: 'item.record), pagination: { ...pagination, total: record.transcript_count } }',
    },
    {
      name: 'lists oldest first',
      file: 'newest-first.ts',
      find: 'a.created_at > b.created_at ||',
      replace: 'a.created_at < b.created_at ||',
    },
    { name: 'breaks ties the other way', file: 'newest-first.ts', find: 'a.id > b.id', replace: 'a.id < b.id' },
    {
      name: 'answers 400 to the read of a malformed project id',
      file: 'operations/projects.ts',
      find: '  const project = params.projectId === undefined ?',
      replace: `  if (!params.projectId?.startsWith('hp-')) throw new Refusal(400, 'projectId: expected the form hp-<uuid>')
  const project = params.projectId === undefined ?`,
    },
  ],
}

export const ofFilters: Defects = {
  likely: filters,
  defects: [
    {
      name: 'ignores model_name',
      file: filter,
      find: '    (model_name === undefined || record.model_name === model_name) &&\n',
      replace: '',
    },
    {
      name: 'filters by the wrong field',
      file: filter,
      find: "query.get('language') || undefined",
      replace: "query.get('lang') || undefined",
    },
    {
      name: 'compares source_system without regard to case',
      file: filter,
      find: 'record.source_system === source_system',
      replace: 'record.source_system?.toLowerCase() === source_system.toLowerCase()',
    },
    {
      name: 'finds a language by its beginning',
      file: filter,
      find: 'record.language === language',
      replace: 'record.language?.startsWith(language)',
    },
    {
      name: 'finds a null by the word null',
      file: filter,
      find: 'record.model_name === model_name',
      replace: 'String(record.model_name) === model_name',
    },
    {
      name: 'looks at one filter alone',
      file: filter,
      find: "source_system: query.get('source_system') || undefined",
      replace: "source_system: (!query.get('language') && query.get('source_system')) || undefined",
    },
    {
      name: 'splits an annotation at its last colon',
      file: filter,
      find: "text.indexOf(':')",
      replace: "text.lastIndexOf(':')",
    },
    {
      name: 'ignores an annotation without a colon',
      file: filter,
      find: "if (colon < 0) throw new Refusal(400, 'annotation: expected key:value')",
      replace: 'if (colon < 0) return undefined',
    },
    {
      name: 'finds an annotation by a part of its value',
      file: filter,
      find: 'String(annotation) === value',
      replace: 'String(annotation).includes(value)',
    },
    {
      name: 'finds no annotation that is no text',
      file: filter,
      find: "['string', 'number', 'boolean'].includes(typeof annotation)",
      replace: "typeof annotation === 'string'",
    },
    {
      name: 'finds annotations that are objects',
      file: filter,
      find: "['string', 'number', 'boolean'].includes(typeof annotation)",
      replace: 'annotation !== undefined',
    },
  ],
}

export const ofDates: Defects = {
  likely: dates,
  defects: [
    { name: 'excludes date_from', file: filter, find: 'ms >= (from', replace: 'ms > (from' },
    { name: 'excludes date_to', file: filter, find: 'ms <= (to', replace: 'ms < (to' },
    {
      name: 'takes a date as the start of its day above too',
      file: filter,
      find: 'instant.ms + dayMs - 1',
      replace: 'instant.ms',
    },
    {
      name: 'takes the next midnight into a day',
      file: filter,
      find: 'instant.ms + dayMs - 1',
      replace: 'instant.ms + dayMs',
    },
    {
      name: 'takes midnight as a day',
      file: filter,
      find: "name === 'date_to' && instant.dateOnly",
      replace: "name === 'date_to' && instant.ms % dayMs === 0",
    },
    {
      name: 'finds transcripts without a time before every date',
      file: filter,
      find: '  if (timestamp === null) return false\n',
      replace: '  if (timestamp === null) return from === undefined\n',
    },
    {
      name: 'ignores a bound that is no date',
      file: filter,
      find: 'if (!instant) throw new Refusal(400',
      replace: 'if (!instant) return undefined\n  if (!instant) throw new Refusal(400',
    },
    { name: 'turns offsets around', file: 'iso-date.ts', find: '- offsetMs(zone)', replace: '+ offsetMs(zone)' },
    {
      name: 'moves 30 February into March',
      file: 'iso-date.ts',
      find: '  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined\n',
      replace: '',
    },
    { name: 'forgets the milliseconds', file: 'iso-date.ts', find: ' * 1000 + millis', replace: ' * 1000' },
    {
      name: 'bounds the time of the upload',
      file: filter,
      find: 'isWithin(record.source_timestamp,',
      replace: 'isWithin(record.source_timestamp ?? record.created_at,',
    },
  ],
}
