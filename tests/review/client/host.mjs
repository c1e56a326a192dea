// A client that shows pages: the host side of the extension's own package, around one frame.
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

// A client's policy for pages that declare no domains, as the extension's specification has it.
const POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' "
  + "'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'";

window.seen = { sizes: [], contexts: [], initialized: 0, app: null };

window.showPage = async (html, { theme, hasTools }) => {
  const frame = document.createElement('iframe');
  frame.sandbox = 'allow-scripts';
  frame.style.cssText = 'width:100%;height:900px;border:0';
  document.body.append(frame);
  const capabilities = hasTools ? { serverTools: {}, updateModelContext: { text: {} } } : {};
  const bridge = new AppBridge(null, { name: 'TestHost', version: '1' }, capabilities, {
    hostContext: { theme, displayMode: 'inline', availableDisplayModes: ['inline'] },
  });
  const ready = new Promise((resolve) => {
    bridge.oninitialized = () => { seen.initialized += 1; resolve(); };
  });
  bridge.onsizechange = (size) => seen.sizes.push(size);
  bridge.oncalltool = (params) => window.callTool(params);
  bridge.onupdatemodelcontext = async (params) => { seen.contexts.push(params); return {}; };
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = html.replace('<head>', `<head><meta http-equiv="Content-Security-Policy" content="${POLICY}">`);
  await ready;
  seen.app = { info: bridge.getAppVersion(), capabilities: bridge.getAppCapabilities() };
  window.bridge = bridge;
};
