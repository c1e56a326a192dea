// Changes inside a client: messages to and from the client (MCP Apps 2026-01-26), nothing else.
'use strict';
(() => {
  const main = document.getElementById('main');
  const live = document.getElementById('live');
  const waiting = new Map();
  // `list` is the answer that a change was opened from, for the way back.
  let count = 0, calls = null, host = {}, list = null;

  const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const notify = (method, params = {}) => send({ method, params });
  const ask = (method, params) => new Promise((resolve, reject) => {
    const id = ++count;
    waiting.set(id, { resolve, reject });
    send({ id, method, params });
  });
  const say = (text) => { live.textContent = text; live.classList.toggle('on', Boolean(text)); };
  const textOf = (result) => (result.content || [])
    .filter((block) => block.type === 'text').map((block) => block.text).join('\n');

  const setContext = (context = {}) => {
    if (context.theme) document.documentElement.dataset.theme = context.theme;
  };

  let shown = null;
  const show = (result) => {
    shown = result;
    const view = (result._meta || {})['redline/view'];
    if (view) {
      main.innerHTML = view.html;
      calls = view.calls;
    } else {
      const text = document.createElement('pre');
      text.className = 'plain';
      text.textContent = textOf(result);
      main.replaceChildren(text);
    }
    const can = (name) => host.serverTools && calls && calls[name];
    if (!can('undo')) for (const each of main.querySelectorAll('button:not([name=older]), input')) each.remove();
    if (!can('older')) for (const each of main.querySelectorAll('button[name=older]')) each.remove();
    // Links lead nowhere here, but for the one that opens a change.
    for (const each of main.querySelectorAll(can('open') ? 'a:not(.files)' : 'a')) {
      const text = document.createElement('span');
      text.className = each.className;
      text.append(...each.childNodes);
      each.replaceWith(text);
    }
    if (list && list !== result) {
      const back = document.createElement('button');
      back.className = 'quiet'; back.name = 'back'; back.textContent = '\u2190 All changes';
      main.prepend(back);
    }
  };
  const showAlone = (result) => { list = null; show(result); };

  const call = async (wanted, more = {}) => {
    const params = { name: wanted.name, arguments: { ...wanted.arguments, ...more } };
    const result = await ask('tools/call', params);
    if (result.isError) throw new Error(textOf(result));
    return result;
  };

  const undo = async (hunks) => {
    for (const each of main.querySelectorAll('button')) each.disabled = true;
    const { undo: undoing, show: showing } = calls;
    try {
      const done = textOf(await call(undoing, hunks ? { hunks } : {}));
      say(done.split('\n')[0]);
      const text = `The person took this back in the review: ${done}`;
      ask('ui/update-model-context', { content: [{ type: 'text', text }] }).catch(() => {});
      show(await call(showing));
    } catch (failure) {
      say(failure.message || 'The client did not make the call.');
      for (const each of main.querySelectorAll('button')) each.disabled = false;
    }
  };

  const follow = async (wanted, more) => {
    try { return await call(wanted, more); } catch (failure) {
      say(failure.message || 'The client did not make the call.');
      return null;
    }
  };
  const open = async (id) => {
    const from = list || shown;
    const result = await follow(calls.open, { id });
    if (!result) return;
    list = from;
    show(result);
    main.focus();
  };
  const goBack = () => { const back = list; list = null; show(back); };
  const showOlder = async () => { const result = await follow(calls.older); if (result) showAlone(result); };

  document.addEventListener('click', (event) => {
    const link = event.target.closest('a');
    if (link) {
      event.preventDefault();
      const row = link.closest('[data-id]');
      if (row && calls && calls.open) open(row.dataset.id);
      return;
    }
    const button = event.target.closest('button');
    if (!button || !calls) return;
    event.preventDefault();
    if (button.name === 'back') goBack();
    if (button.name === 'older') showOlder();
    if (button.name === 'only') undo([Number(button.value)]);
    if (button.name === 'all') undo(null);
    if (button.name === 'some') {
      const hunks = [...main.querySelectorAll('input[name=hunk]:checked')].map((box) => Number(box.value));
      if (hunks.length) undo(hunks); else say('No hunk is selected.');
    }
  });

  const told = {
    'ui/notifications/tool-result': showAlone,
    'ui/notifications/tool-cancelled': () => say('The call was cancelled.'),
    'ui/notifications/host-context-changed': setContext,
  };
  window.addEventListener('message', (event) => {
    const message = event.data;
    if (event.source !== parent || !message || message.jsonrpc !== '2.0') return;
    if (message.method && message.id !== undefined) {
      const known = ['ping', 'ui/resource-teardown'].includes(message.method);
      const error = { code: -32601, message: `Method not found: ${message.method}` };
      send(known ? { id: message.id, result: {} } : { id: message.id, error });
    } else if (message.method) {
      (told[message.method] || (() => {}))(message.params || {});
    } else if (waiting.has(message.id)) {
      const { resolve, reject } = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.error) reject(new Error(message.error.message)); else resolve(message.result || {});
    }
  });

  const measure = () => notify('ui/notifications/size-changed', {
    width: Math.ceil(document.documentElement.scrollWidth),
    height: Math.ceil(document.body.getBoundingClientRect().height),
  });
  ask('ui/initialize', {
    protocolVersion: '2026-01-26',
    appInfo: { name: 'redline', title: 'Redline', version: '1' },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
  }).then((found) => {
    host = found.hostCapabilities || {};
    setContext(found.hostContext);
    notify('ui/notifications/initialized');
    new ResizeObserver(measure).observe(document.body);
  }).catch((failure) => say(failure.message));
})();
