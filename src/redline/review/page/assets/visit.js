// Signs a person in, and sends what does so with every request. A browser sends the cookie to every
// port of this host; the token is kept in the storage of this origin, so it goes to this port alone.
'use strict';
window.redline = (() => {
  const { dataset, src } = document.currentScript;
  // What addresses begin with: nothing, or /w/NAME where one server has many workspaces.
  const base = new URL(src).pathname.replace(/\/assets\/.*$/, '');
  const store = `${dataset.store} token`;
  const read = () => { try { return localStorage.getItem(store) || ''; } catch { return ''; } };
  const isIn = 'visit' in document.body.dataset;
  const need = document.getElementById('needs-script');
  if (need) need.remove();
  const send = (url, { headers = {}, ...more } = {}) => fetch(url, {
    credentials: 'same-origin', ...more, headers: { ...headers, 'X-Redline-Token': read() },
  });
  const write = (html) => { document.open(); document.write(html); document.close(); };
  const go = (url) => {
    const where = new URL(url, location.href);
    const isHere = where.pathname + where.search === location.pathname + location.search;
    if (!isHere) { location.assign(where); return; }
    history.replaceState(history.state, '', where);
    location.reload();
  };
  // A file of an answer is saved under its name.
  const save = async (answer, name) => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(await answer.blob());
    link.download = name || (/filename="([^"]+)"/.exec(answer.headers.get('Content-Disposition')) || ['', 'file'])[1];
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  };
  const isFile = (answer) => (answer.headers.get('Content-Disposition') || '').startsWith('attachment');
  const show = async (answer) => {
    const where = answer.headers.get('Location');
    if (where) own.go(where);
    else if (isFile(answer)) await save(answer);
    else write(await answer.text());
  };
  const post = async (action, fields) => show(await send(action, {
    method: 'POST', body: new URLSearchParams(fields), headers: { 'X-Redline': 'form' },
  }));
  const own = { base, send, go, post, isIn, isStopped: false, say: () => {} };

  // --- signing in: the key in the fragment never reaches a log or another page -----------------
  const signIn = async (key) => {
    const answer = await fetch(`${base}/sign-in`, {
      method: 'POST', credentials: 'same-origin', body: new URLSearchParams({ key }),
    });
    if (answer.ok) localStorage.setItem(store, await answer.text());
    return answer;
  };
  const key = /^#key=([\w-]+)$/.exec(location.hash);
  if (key) {
    own.isStopped = true;
    history.replaceState(null, '', location.pathname);
    signIn(key[1]).then((answer) => location.replace(answer.ok || read() ? `${base}/` : `${base}/sign-in`));
    return own;
  }
  // An address with a key in the tab that is open already changes the fragment alone.
  addEventListener('hashchange', () => { if (location.hash.startsWith('#key=')) location.reload(); });
  addEventListener('submit', (event) => {
    const form = event.target;
    const by = event.submitter;
    const method = form.getAttribute('method');
    if (method === 'dialog' || event.defaultPrevented) return;
    event.preventDefault();
    const fields = new URLSearchParams(new FormData(form, by));
    const action = (by && by.getAttribute('formaction')) || form.getAttribute('action') || location.pathname;
    if (form.getAttribute('id') === 'sign-in') {
      signIn(fields.get('key')).then(async (answer) => {
        if (!answer.ok) write(await answer.text());
        else if (location.pathname === `${base}/sign-in`) location.replace(`${base}/`);
        else location.reload();
      });
    } else if (method === 'post') post(action, fields).catch(() => own.say('Redline does not answer: nothing was done'));
    else own.go(`${action}?${new URLSearchParams([...fields].filter(([, value]) => value))}`);
  });
  addEventListener('click', async (event) => {
    const link = event.target.closest('a[download][href]');
    if (!link || event.defaultPrevented || link.protocol === 'blob:') return;
    event.preventDefault();
    save(await send(link.href), link.getAttribute('download'));
  });

  // --- a page that was fetched with the cookie alone is fetched again with both ------------------
  const askForKey = () => {
    const form = document.getElementById('sign-in');
    if (form) { form.hidden = false; document.getElementById('key').focus(); }
  };
  const enter = async () => {
    const isDoor = location.pathname === `${base}/sign-in`;
    const answer = await send(isDoor ? `${base}/` : location.href);
    if (answer.status !== 401 && isFile(answer)) { await save(answer); return; }
    const html = await answer.text();
    if (!/<body[^>]* data-visit="/.test(html)) {
      if (answer.ok || answer.status === 401) localStorage.removeItem(store);
      if (document.body.dataset.view === 'sign-in') askForKey(); else location.reload();
    } else if (isDoor) location.replace(`${base}/`);
    else write(html);
  };
  if (!isIn && read()) { own.isStopped = true; enter().catch(askForKey); } else askForKey();
  return own;
})();
