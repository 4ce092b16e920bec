//! A browser to look at the page with: headless Chromium, driven by the DevTools protocol over two pipes.
//! No port is opened and no crate is needed: messages are JSON, with a zero byte behind each.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// How often a condition is looked at before it is given up, and the pause between two looks.
const LOOKS: usize = 1500;
const PAUSE: Duration = Duration::from_millis(20);
/// The longest that the browser may take to answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// One browser at a time: each has a dozen threads.
static TURN: Mutex<()> = Mutex::new(());

pub(crate) struct Browser {
    child: Child,
    pipe: ChildStdin,
    messages: Receiver<Value>,
    calls: u64,
    session: Option<String>,
    /// Where the page under test comes from; nothing else may be asked for anything.
    origin: String,
    wrong: Vec<String>,
    _profile: TempDir,
    _turn: MutexGuard<'static, ()>,
}

/// The browser's program; `None` where somebody wants these tests left out.
fn program() -> Option<String> {
    let named = std::env::var("WEBSTRATA_BROWSER").ok().filter(|name| !name.is_empty());
    if named.as_deref() == Some("none") {
        crate::skipped::skipped("WEBSTRATA_BROWSER=none");
        return None;
    }
    let usual = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let names = named.map_or(usual.map(str::to_owned).to_vec(), |name| vec![name]);
    let runs = |name: &String| {
        let version = Command::new(name).arg("--version").stderr(Stdio::null()).output();
        version.is_ok_and(|output| output.status.success())
    };
    Some(names.into_iter().find(runs).unwrap_or_else(|| {
        panic!(
            "no Chromium found: `apt-get install chromium`, or name one in WEBSTRATA_BROWSER, or leave \
             these tests out with WEBSTRATA_BROWSER=none"
        )
    }))
}

impl Browser {
    /// Starts a browser for the pages of this origin (`http://127.0.0.1:1234`).
    pub(crate) fn start(origin: &str) -> Option<Browser> {
        let program = program()?;
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let profile = tempfile::tempdir().expect("a folder for the profile");
        // The browser reads from its file 3 and writes to its file 4: our ends of stdin and stdout.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null", &program])
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"])
            .args(["--no-first-run", "--disable-background-networking", "--disable-sync"])
            .args(["--disable-component-update", "--disable-dev-shm-usage", "--mute-audio"])
            .arg("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .expect("a shell");
        let pipe = child.stdin.take().expect("its stdin");
        let messages = listen(child.stdout.take().expect("its stdout"));
        let mut browser = Browser {
            child,
            pipe,
            messages,
            calls: 0,
            session: None,
            origin: origin.to_owned(),
            wrong: Vec::new(),
            _profile: profile,
            _turn: turn,
        };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.call("Target.attachToTarget", attach);
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network", "DOM", "Accessibility"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        // Frames may be processes of their own: their requests count, too.
        let attach = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true });
        browser.call("Target.setAutoAttach", attach);
        // Keys go to the page as if its window were in front.
        browser.call("Emulation.setFocusEmulationEnabled", json!({ "enabled": true }));
        browser.viewport(1280, 900);
        browser.dark(false);
        Some(browser)
    }

    /// Calls a method of the protocol and waits for its answer; what is told meanwhile is noted.
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        let session = self.session.clone();
        let id = self.send(session.as_deref(), method, parameters);
        loop {
            let message = self.messages.recv_timeout(PATIENCE);
            let message = message.unwrap_or_else(|_| panic!("{method}: the browser is silent"));
            if message["id"] == json!(id) {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
            self.note(&message);
        }
    }

    fn send(&mut self, session: Option<&str>, method: &str, parameters: Value) -> u64 {
        self.calls += 1;
        let mut message = json!({ "id": self.calls, "method": method });
        message["params"] = parameters;
        if let Some(session) = session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.pipe.write_all(&bytes).expect("the browser runs");
        self.calls
    }

    /// Errors on the console, and requests to anybody else.
    fn note(&mut self, message: &Value) {
        let told = &message["params"];
        match message["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => self.wrong.push(format!("exception: {told}")),
            "Runtime.consoleAPICalled" if told["type"] == "error" => {
                self.wrong.push(format!("console: {}", told["args"]));
            }
            "Log.entryAdded" if told["entry"]["level"] == "error" => {
                self.wrong.push(format!("log: {} {}", told["entry"]["text"], told["entry"]["url"]));
            }
            "Target.attachedToTarget" => {
                let session = told["sessionId"].as_str();
                for method in ["Network.enable", "Log.enable", "Runtime.runIfWaitingForDebugger"] {
                    self.send(session, method, json!({}));
                }
            }
            "Network.requestWillBeSent" => {
                let url = told["request"]["url"].as_str().unwrap_or_default();
                let own = [&*self.origin, "data:", "blob:", "about:"];
                if !own.iter().any(|own| url.starts_with(own)) {
                    self.wrong.push(format!("a request to {url}"));
                }
            }
            _ => {}
        }
    }

    /// Goes to an address below the origin.
    pub(crate) fn go(&mut self, path: &str) {
        let url = format!("{}{path}", self.origin);
        self.call("Page.navigate", json!({ "url": url }));
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'");
    }

    /// The value of an expression, awaited.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let ask = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", ask);
        let thrown = &answer["exceptionDetails"];
        assert!(thrown.is_null(), "{expression}: {thrown}");
        answer["result"]["value"].clone()
    }

    pub(crate) fn text(&mut self, selector: &str) -> String {
        let value = self.value(&format!("document.querySelector({}).innerText", quoted(selector)));
        value.as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn is(&mut self, condition: &str) -> bool {
        self.value(&format!("Boolean({condition})")) == json!(true)
    }

    #[track_caller]
    pub(crate) fn check(&mut self, condition: &str) {
        assert!(self.is(condition), "not so: {condition}");
    }

    /// Waits until a condition holds.
    #[track_caller]
    pub(crate) fn wait(&mut self, condition: &str) {
        for _ in 0..LOOKS {
            if self.is(condition) {
                return;
            }
            thread::sleep(PAUSE);
        }
        panic!("never so: {condition}; {:?}", self.wrong);
    }

    /// Scrolls the list of blocks to its first ones: it begins with the first kept block in view.
    pub(crate) fn show_first_blocks(&mut self) {
        self.value("document.querySelector('#blocks').scrollTop = 0");
    }

    /// The centre of an element, after scrolling to it.
    fn centre(&mut self, selector: &str) -> (f64, f64) {
        let quoted = quoted(selector);
        self.wait(&format!("document.querySelector({quoted})"));
        let place = self.value(&format!(
            "(() => {{ const e = document.querySelector({quoted}); e.scrollIntoView({{block: 'nearest'}}); \
             const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
        ));
        (place[0].as_f64().unwrap_or(0.0), place[1].as_f64().unwrap_or(0.0))
    }

    fn mouse(&mut self, kind: &str, (x, y): (f64, f64)) {
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        let event = json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": 1 });
        self.call("Input.dispatchMouseEvent", event);
    }

    pub(crate) fn hover(&mut self, selector: &str) {
        let at = self.centre(selector);
        self.mouse("mouseMoved", at);
    }

    /// A real click on the middle of an element.
    pub(crate) fn click(&mut self, selector: &str) {
        let at = self.centre(selector);
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            self.mouse(kind, at);
        }
    }

    /// Presses a key by its name, such as `ArrowDown`, or by what it writes.
    pub(crate) fn key(&mut self, key: &str) {
        let codes =
            [("Enter", 13), ("Tab", 9), ("Escape", 27), ("End", 35), ("Home", 36), (" ", 32)];
        let arrows = [("ArrowLeft", 37), ("ArrowUp", 38), ("ArrowRight", 39), ("ArrowDown", 40)];
        let code =
            codes.iter().chain(&arrows).find(|(name, _)| *name == key).map_or(0, |(_, n)| *n);
        let text = if key == "Enter" { "\r" } else { key };
        let mut down =
            json!({ "type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code });
        if text.chars().count() == 1 {
            down["text"] = json!(text);
        }
        self.call("Input.dispatchKeyEvent", down);
        let up = json!({ "type": "keyUp", "key": key, "windowsVirtualKeyCode": code });
        self.call("Input.dispatchKeyEvent", up);
    }

    /// Writes into whatever has the focus.
    pub(crate) fn write(&mut self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// Chooses a value of a `<select>` or a slider, as its keys would.
    pub(crate) fn choose(&mut self, selector: &str, value: &str) {
        let (selector, value) = (quoted(selector), quoted(value));
        self.value(&format!(
            "(() => {{ const e = document.querySelector({selector}); e.value = {value}; \
             for (const kind of ['input', 'change']) e.dispatchEvent(new Event(kind, {{bubbles: true}})); }})()"
        ));
    }

    /// Gives a file to an `<input type=file>`.
    pub(crate) fn give_file(&mut self, selector: &str, path: &std::path::Path) {
        let root = self.call("DOM.getDocument", json!({}))["root"]["nodeId"].clone();
        let find = json!({ "nodeId": root, "selector": selector });
        let node = self.call("DOM.querySelector", find)["nodeId"].clone();
        self.call("DOM.setFileInputFiles", json!({ "nodeId": node, "files": [path] }));
    }

    pub(crate) fn viewport(&mut self, width: u32, height: u32) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.call("Emulation.setDeviceMetricsOverride", metrics);
    }

    pub(crate) fn dark(&mut self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let features = json!([{ "name": "prefers-color-scheme", "value": value }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// Takes a picture where `WEBSTRATA_SCREENSHOTS` names a folder.
    pub(crate) fn picture(&mut self, name: &str) {
        let Ok(folder) = std::env::var("WEBSTRATA_SCREENSHOTS") else { return };
        let picture = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        let bytes = bytes_of_base64(picture["data"].as_str().unwrap_or_default());
        std::fs::create_dir_all(&folder).expect("the folder for pictures");
        std::fs::write(format!("{folder}/{name}.png"), bytes).expect("a picture");
    }

    /// The roles of controls that have no name for those who cannot see them.
    pub(crate) fn nameless(&mut self) -> Vec<String> {
        let tree = self.call("Accessibility.getFullAXTree", json!({}));
        let controls = [
            "button",
            "link",
            "textbox",
            "searchbox",
            "combobox",
            "checkbox",
            "radio",
            "slider",
            "tab",
            "spinbutton",
            "listbox",
            "option",
            "tabpanel",
            "dialog",
            "Iframe",
            "image",
            "table",
        ];
        let nodes = tree["nodes"].as_array().cloned().unwrap_or_default();
        let seen = nodes.iter().filter(|node| node["ignored"] != json!(true));
        let control = seen
            .filter(|node| controls.contains(&node["role"]["value"].as_str().unwrap_or_default()));
        let bare = control
            .filter(|node| node["name"]["value"].as_str().unwrap_or_default().trim().is_empty());
        bare.map(Value::to_string).collect()
    }

    /// What went wrong so far, which the test takes note of.
    pub(crate) fn take_wrong(&mut self) -> Vec<String> {
        // One more question, so that what was told before is read.
        self.value("1");
        std::mem::take(&mut self.wrong)
    }

    /// The end of a test: nothing went wrong on the console, nobody else was asked.
    #[track_caller]
    pub(crate) fn finish(mut self) {
        let wrong = self.take_wrong();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It has children of its own; all are in one group.
        let group = format!("-{}", self.child.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
        let _ = self.child.wait();
    }
}

fn listen(from: impl std::io::Read + Send + 'static) -> Receiver<Value> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut from = BufReader::new(from);
        let mut bytes = Vec::new();
        while from.read_until(0, &mut bytes).is_ok_and(|read| read > 0) {
            bytes.pop();
            let message = serde_json::from_slice(&bytes).unwrap_or_default();
            if sender.send(message).is_err() {
                return;
            }
            bytes.clear();
        }
    });
    receiver
}

/// A text as JavaScript writes it.
pub(crate) fn quoted(text: &str) -> String {
    json!(text).to_string()
}

fn bytes_of_base64(text: &str) -> Vec<u8> {
    let sign = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut held) = (0u32, 0);
    for six in text.bytes().filter_map(sign) {
        bits = bits << 6 | u32::from(six);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held & 0xff) as u8);
        }
    }
    bytes
}
