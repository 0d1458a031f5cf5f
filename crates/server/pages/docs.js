// Draws the server's OpenAPI document. Everything is put in as text, never as markup.

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
};

/** Words between backticks are code. */
const prose = (text = '') =>
  text.split('`').map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part));

const nameOf = (reference) => reference.split('/').pop();
const schemaId = (name) => `schema-${name}`;

/** A type in one line, with links to the schemas it names. */
function typeOf(schema) {
  if (!schema) return ['any'];
  if (schema.$ref) {
    const name = nameOf(schema.$ref);
    return [element('a', { href: `#${schemaId(name)}` }, name)];
  }
  if (schema.enum) return [schema.enum.map((word) => JSON.stringify(word)).join(' | ')];
  for (const key of ['oneOf', 'anyOf']) if (schema[key]) return joined(schema[key], ' | ');
  if (schema.allOf) return joined(schema.allOf, ' & ');
  const types = [schema.type ?? 'any'].flat();
  if (types.includes('array')) return ['[', ...typeOf(schema.items), ']', types.includes('null') ? ' | null' : ''];
  if (types.includes('object') && schema.additionalProperties) {
    return ['{ name: ', ...typeOf(schema.additionalProperties), ' }'];
  }
  return [types.join(' | ') + limitsOf(schema)];
}

const joined = (schemas, mark) =>
  schemas.flatMap((schema, index) => (index === 0 ? typeOf(schema) : [mark, ...typeOf(schema)]));

function limitsOf({ format, minimum, maximum, minLength, maxLength, pattern }) {
  const limits = [
    format,
    minimum !== undefined && `≥ ${minimum}`,
    maximum !== undefined && `≤ ${maximum}`,
    minLength !== undefined && `≥ ${minLength} characters`,
    maxLength !== undefined && `≤ ${maxLength} characters`,
    pattern && `/${pattern}/`,
  ];
  const said = limits.filter(Boolean);
  return said.length > 0 ? ` (${said.join(', ')})` : '';
}

const row = (name, type, text, needed) =>
  element(
    'tr',
    {},
    element('td', { class: needed ? 'needed' : '' }, element('code', {}, name)),
    element('td', { class: 'type' }, ...type),
    element('td', {}, ...prose(text)),
  );

function section(title, rows) {
  if (rows.length === 0) return [];
  return [element('section', {}, element('h4', {}, title), element('table', {}, ...rows))];
}

function operationArticle({ path, method, operation }) {
  const parameters = (operation.parameters ?? []).map((parameter) =>
    row(`${parameter.name} (${parameter.in})`, typeOf(parameter.schema), parameter.description, parameter.required),
  );
  const bodies = Object.entries(operation.requestBody?.content ?? {}).map(([kind, { schema }]) =>
    row(kind, typeOf(schema), operation.requestBody.description, operation.requestBody.required),
  );
  const answers = Object.entries(operation.responses ?? {}).map(([status, response]) => {
    const schema = Object.values(response.content ?? {})[0]?.schema;
    return row(status, schema ? typeOf(schema) : ['nothing'], response.description);
  });
  return element(
    'article',
    { id: operation.operationId },
    element(
      'h3',
      {},
      element('span', { class: `method ${method}` }, method),
      element('a', { class: 'path', href: `#${operation.operationId}` }, path),
    ),
    element('p', {}, ...prose([operation.summary, operation.description].filter(Boolean).join(' '))),
    ...section('Parameters', parameters),
    ...section('Body', bodies),
    ...section('Answers', answers),
  );
}

/** The fields of a schema, those of its parts included. */
function fieldsOf(schema) {
  const parts = [schema, ...(schema.allOf ?? [])];
  return parts.flatMap((part) =>
    Object.entries(part.properties ?? {}).map(([name, field]) =>
      row(name, typeOf(field), field.description, part.required?.includes(name)),
    ),
  );
}

function schemaArticle([name, schema]) {
  const named = (schema.allOf ?? []).filter((part) => part.$ref);
  const fields = fieldsOf(schema);
  const also = named.length > 0 ? ['Has all of ', ...joined(named, ', '), '. '] : [];
  const shape = fields.length === 0 ? typeOf(schema) : [];
  return element(
    'article',
    { id: schemaId(name) },
    element('h3', {}, element('a', { class: 'path', href: `#${schemaId(name)}` }, name)),
    element('p', {}, ...also, ...prose(schema.description), ' ', element('span', { class: 'type' }, ...shape)),
    ...section('Fields', fields),
  );
}

function operationsByTag(api) {
  const tags = new Map();
  for (const [path, item] of Object.entries(api.paths)) {
    for (const method of METHODS.filter((name) => item[name])) {
      const operation = item[method];
      const tag = operation.tags?.[0] ?? 'other';
      tags.set(tag, [...(tags.get(tag) ?? []), { path, method, operation }]);
    }
  }
  return [...tags].sort(([one], [other]) => one.localeCompare(other));
}

function draw(api) {
  document.getElementById('about').textContent = `${api.info.version} · ${api.info.description ?? ''}`;
  const contents = document.getElementById('contents');
  const main = document.getElementById('document');
  main.replaceChildren();
  for (const [tag, operations] of operationsByTag(api)) {
    contents.append(element('h2', {}, tag));
    main.append(element('h2', {}, tag));
    for (const { path, method, operation } of operations) {
      const mark = element('span', { class: `method ${method}` }, method);
      const short = path.replace('/api/v1', '');
      contents.append(element('a', { href: `#${operation.operationId}`, title: path }, mark, ' ', short));
      main.append(operationArticle({ path, method, operation }));
    }
  }
  const schemas = Object.entries(api.components?.schemas ?? {});
  contents.append(element('h2', {}, 'schemas'));
  main.append(element('h2', {}, 'schemas'));
  for (const schema of schemas) {
    contents.append(element('a', { href: `#${schemaId(schema[0])}` }, schema[0]));
    main.append(schemaArticle(schema));
  }
}

/** Hides what does not hold the text that somebody looks for. */
function narrow(text) {
  const wanted = text.trim().toLowerCase();
  for (const article of document.querySelectorAll('article')) {
    article.hidden = !article.textContent.toLowerCase().includes(wanted);
  }
  for (const link of document.querySelectorAll('nav a')) {
    const article = document.getElementById(link.hash.slice(1));
    link.hidden = article?.hidden ?? false;
  }
}

async function start() {
  const main = document.getElementById('document');
  try {
    const response = await fetch('/api/v1/openapi.json');
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    draw(await response.json());
  } catch (problem) {
    main.replaceChildren(element('p', { role: 'alert' }, `The description could not be read: ${problem.message}.`));
    return;
  }
  const find = document.getElementById('find');
  find.addEventListener('input', () => narrow(find.value));
  // What the address points to was not there yet when the browser looked for it.
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

start();
