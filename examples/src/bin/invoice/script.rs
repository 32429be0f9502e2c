//! What the scripted model does. It goes by what the request holds, as a model does, and keeps nothing itself.

use agent_examples::server::{Answered, Call, Conversation, Reply};
use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// What kind of model is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scenario {
    /// One that does what it was asked to.
    Plain,
    /// One that asks for the same invoice twice.
    Repeat,
    /// One that changes the amount.
    Tamper,
}

/// What the script reads of a tax; amounts stay the digits that the tool gave.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tax {
    jurisdiction: String,
    tax_amount: Box<RawValue>,
    gross_total: Box<RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Invoice {
    invoice_id: String,
}

/// The next reply.
pub(crate) fn reply(scenario: Scenario, conversation: &Conversation) -> Reply {
    let answered = &conversation.answered;
    let tried = |tool: &str| answered.iter().any(|call| call.tool == tool);
    if !conversation.may_call {
        return Reply::Text(report(answered));
    }
    if !tried("calculateTax") {
        return Reply::Calls(vec![tax("call_tax_uk", "1500", "UK"), tax("call_tax_de", "500", "DE")]);
    }
    match uk_tax(answered) {
        Some(tax) if !tried("recordInvoice") => Reply::Calls(record(scenario, &tax)),
        _ => Reply::Text(report(answered)),
    }
}

fn tax(id: &'static str, subtotal: &str, country: &str) -> Call {
    Call { id, name: "calculateTax", arguments: format!(r#"{{"subtotal":{subtotal},"countryCode":"{country}"}}"#) }
}

fn uk_tax(answered: &[Answered]) -> Option<Tax> {
    answered.iter().filter(|call| call.tool == "calculateTax").find_map(|call| {
        let tax: Tax = call.data().ok()?;
        (tax.jurisdiction == "UK").then_some(tax)
    })
}

fn record(scenario: Scenario, tax: &Tax) -> Vec<Call> {
    let (gross, tax) = (tax.gross_total.get(), tax.tax_amount.get());
    let call = |id, gross: &str, tax: &str| Call {
        id,
        name: "recordInvoice",
        arguments: format!(
            r#"{{"clientName":"Northwind Trading Ltd","amount":{gross},"taxAmount":{tax},"currency":"GBP"}}"#
        ),
    };
    match scenario {
        Scenario::Plain => vec![call("call_record", gross, tax)],
        // The second time without the zeros: another text for the same invoice.
        Scenario::Repeat => {
            let (same_gross, same_tax) = (changed(gross, Decimal::ZERO), changed(tax, Decimal::ZERO));
            vec![call("call_record", gross, tax), call("call_record_again", &same_gross, &same_tax)]
        }
        Scenario::Tamper => vec![call("call_record", &changed(gross, Decimal::ONE_HUNDRED), tax)],
    }
}

/// A number with something added, in the shortest digits.
fn changed(number: &str, more: Decimal) -> String {
    match number.parse::<Decimal>().ok().and_then(|number| number.checked_add(more)) {
        Some(sum) => sum.normalize().to_string(),
        None => number.to_owned(),
    }
}

/// What happened, in words, from the results alone.
fn report(answered: &[Answered]) -> String {
    let mut sentences: Vec<String> = Vec::new();
    for call in answered {
        // The same invoice again is not news.
        let sentence = sentence(call);
        if !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    }
    sentences.join(" ")
}

fn sentence(call: &Answered) -> String {
    match call.tool.as_str() {
        "calculateTax" => about_tax(call),
        _ => about_invoice(call),
    }
}

fn about_tax(call: &Answered) -> String {
    if let Ok(tax) = call.data::<Tax>() {
        return format!("{}: the tax is {}, the gross total {}.", tax.jurisdiction, tax.tax_amount, tax.gross_total);
    }
    let country = call.arguments.get("countryCode").and_then(Value::as_str).unwrap_or("?");
    match supported(call) {
        Some(supported) => format!("{country}: no tax, since there is a rule only for {supported}."),
        None => format!("{country}: the tax could not be computed ({}).", call.code()),
    }
}

/// The countries that a refused one is told of.
fn supported(call: &Answered) -> Option<String> {
    let supported = call.details().get("supported")?.as_array()?;
    Some(supported.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" and "))
}

fn about_invoice(call: &Answered) -> String {
    match (call.data::<Invoice>(), call.status()) {
        (Ok(invoice), _) => format!("The UK invoice is recorded as {}.", invoice.invoice_id),
        (_, "permission_denied") => "Nothing was booked: you may not record invoices.".to_owned(),
        (_, "business_error") => format!("Nothing was booked: the ledger refused the amounts ({}).", call.code()),
        _ => format!("It is not certain that the invoice was booked ({}).", call.code()),
    }
}
