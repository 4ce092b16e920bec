//! Who may ask: the name that the server is called by, the page that a browser asks for, and the token.
//! And what every answer carries.

use std::hint::black_box;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Instant;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, AUTHORIZATION, CACHE_CONTROL,
    CONNECTION, HOST, HeaderName, ORIGIN, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::body::{Frame, SizeHint};
use webstrata::error::shortened;

use crate::app::{App, PATHS};
use crate::refusal::Refusal;

pub(crate) async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let _in_flight = app.metrics.begin();
    let route = route(request.uri().path());
    let origin = request.headers().get(ORIGIN).cloned();
    let allowed = origin.filter(|origin| is_allowed_origin(&app, origin));
    let (request, body_state) = watched(request);
    let mut response = match admit(&app, &request) {
        Err(refusal) => refusal.into_response(),
        Ok(()) if allowed.is_some() && is_preflight(&request) => preflight(),
        Ok(()) => next.run(request).await,
    };
    finish(response.headers_mut(), allowed);
    let is_refused = response.status().is_client_error() || response.status().is_server_error();
    // The connection is closed where a refused body was not read to its end, and the answer says so.
    if is_refused && !body_state.load(Ordering::Relaxed) {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    if let Some(bytes) = response.body().size_hint().exact() {
        app.metrics.written(usize::try_from(bytes).unwrap_or(usize::MAX));
    }
    app.metrics.answered(route, response.status().as_u16(), began.elapsed());
    response
}

/// The request, and whether its body was read to the end.
fn watched(request: Request) -> (Request, Arc<AtomicBool>) {
    let is_read = Arc::new(AtomicBool::new(request.body().is_end_stream()));
    let seen = is_read.clone();
    (request.map(|body| Body::new(WatchedBody { body, is_read })), seen)
}

struct WatchedBody {
    body: Body,
    is_read: Arc<AtomicBool>,
}

impl HttpBody for WatchedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        if matches!(frame, Poll::Ready(None)) || self.body.is_end_stream() {
            self.is_read.store(true, Ordering::Relaxed);
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The label of a path; there are few, whatever is asked for.
fn route(path: &str) -> &'static str {
    let is_it = |known: &&str| *known == path || (*known == "/assets/" && path.starts_with(*known));
    PATHS.iter().copied().find(is_it).unwrap_or("other")
}

fn admit(app: &App, request: &Request) -> Result<(), Refusal> {
    let host = host(request)?;
    if !is_known_host(app, host.as_ref()) {
        let host = host.map_or(String::new(), |host| shortened(host.as_str()));
        let message = format!("`{host}` is not served here, allow it with --allow-host");
        return Err(Refusal::new(StatusCode::MISDIRECTED_REQUEST, message));
    }
    // Browsers let any page send some kinds of requests anywhere; what it may not is read the answer.
    if let Some(origin) = request.headers().get(ORIGIN)
        && request.method() != Method::GET
        && !is_own_origin(origin, host.as_ref())
        && !is_allowed_origin(app, origin)
    {
        let origin = shortened(origin.to_str().unwrap_or_default());
        let message =
            format!("pages of `{origin}` may not use the API, allow it with --allow-origin");
        return Err(Refusal::new(StatusCode::FORBIDDEN, message));
    }
    let path = request.uri().path();
    let is_open = !path.starts_with("/v1/") && path != "/metrics";
    // A preflight has no token: browsers ask without, whether they may ask with one.
    if is_open || (is_preflight(request) && !app.settings.allow_origins.is_empty()) {
        return Ok(());
    }
    match &app.settings.token {
        Some(token) if !has_token(token, request.headers()) => {
            let message = "no token or a wrong one, send `Authorization: Bearer TOKEN`";
            Err(Refusal::new(StatusCode::UNAUTHORIZED, message))
        }
        _ => Ok(()),
    }
}

/// The name that the client calls the server by.
fn host(request: &Request) -> Result<Option<Authority>, Refusal> {
    let mut fields = request.headers().get_all(HOST).iter();
    let field = fields.next();
    if fields.next().is_some() {
        return Err(Refusal::bad("`Host` is given twice"));
    }
    if field.is_none() && request.version() >= Version::HTTP_11 {
        return Err(Refusal::bad("`Host` is missing"));
    }
    let parsed = field.map(|field| Authority::try_from(field.as_bytes())).transpose();
    let parsed = parsed.map_err(|_| Refusal::bad("`Host` is no name of a host"))?;
    Ok(request.uri().authority().cloned().or(parsed))
}

fn is_known_host(app: &App, host: Option<&Authority>) -> bool {
    // Browsers always send one; what asks without is a program that checks the server's health.
    let Some(host) = host else { return true };
    let name = host.host();
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    // Where others may connect to, they do so by an address that this machine need not know of.
    let is_own = |address: IpAddr| address.is_loopback() || !app.address.is_loopback();
    name.eq_ignore_ascii_case("localhost")
        || address.is_ok_and(is_own)
        || app.settings.allow_hosts.iter().any(|known| {
            let is_it = |name: &str| known.eq_ignore_ascii_case(name);
            known == "*" || is_it(name) || is_it(host.as_str())
        })
}

fn is_own_origin(origin: &HeaderValue, host: Option<&Authority>) -> bool {
    let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
    origin.zip(host).is_some_and(|((_, origin), host)| origin.eq_ignore_ascii_case(host.as_str()))
}

fn is_allowed_origin(app: &App, origin: &HeaderValue) -> bool {
    app.settings.allow_origins.iter().any(|allowed| allowed.as_bytes() == origin.as_bytes())
}

fn is_preflight(request: &Request) -> bool {
    request.method() == Method::OPTIONS
        && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

fn preflight() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST"));
    let fields = HeaderValue::from_static("authorization, content-type");
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, fields);
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    response
}

fn has_token(token: &str, headers: &HeaderMap) -> bool {
    let given = headers.get(AUTHORIZATION).map_or(&b""[..], HeaderValue::as_bytes);
    let (scheme, given) = given.split_at_checked(7).unwrap_or((b"", b""));
    scheme.eq_ignore_ascii_case(b"bearer ") && are_equal(given, token.as_bytes())
}

/// Takes the same time however much of the secret is right.
fn are_equal(given: &[u8], secret: &[u8]) -> bool {
    let mut different = u8::from(given.len() != secret.len());
    for (byte, expected) in given.iter().zip(secret.iter().cycle()) {
        different |= black_box(byte ^ expected);
    }
    black_box(different) == 0
}

/// What every answer carries.
fn finish(headers: &mut HeaderMap, allowed: Option<HeaderValue>) {
    let fixed = |text| HeaderValue::from_static(text);
    headers.insert(X_CONTENT_TYPE_OPTIONS, fixed("nosniff"));
    headers.insert(REFERRER_POLICY, fixed("no-referrer"));
    headers.entry(X_FRAME_OPTIONS).or_insert(fixed("DENY"));
    headers.insert(
        HeaderName::from_static("cross-origin-resource-policy"),
        fixed(if allowed.is_some() { "cross-origin" } else { "same-origin" }),
    );
    headers.entry(CACHE_CONTROL).or_insert(fixed("no-store"));
    if let Some(origin) = allowed {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(VARY, fixed("origin"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_compared_whole() {
        let check = |given: &str, secret: &str, expect: bool| {
            assert_eq!(are_equal(given.as_bytes(), secret.as_bytes()), expect, "{given} {secret}");
        };
        check("harbour", "harbour", true);
        check("", "harbour", false);
        check("harbou", "harbour", false);
        check("harbourh", "harbour", false);
        check("harbourharbour", "harbour", false);
        check("harbouR", "harbour", false);
    }

    #[test]
    fn labels_are_few() {
        assert_eq!(route("/v1/extract"), "/v1/extract");
        assert_eq!(route("/assets/page.js"), "/assets/");
        assert_eq!(route("/assets/../x"), "/assets/");
        assert_eq!(route("/v1/extract/"), "other");
    }
}
