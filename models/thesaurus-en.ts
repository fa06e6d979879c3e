/**
 * What people ask with beside what documents answer with, in English, over the everyday matters of companies, shops,
 * authorities, schools, clinics and utilities. `ENGLISH_MEANINGS` holds one meaning a line, its members separated by
 * commas, in any inflection. `ENGLISH_KINDS` holds `instance, … < general word, …`: what is said of the general word
 * answers a question about an instance, and not the reverse.
 */
export const ENGLISH_MEANINGS = `
bill, invoice, statement of charges, billing statement
amount due, balance due, outstanding balance, what i owe, do i owe, amount owed, outstanding amount
overdue, past due, in arrears, arrears, late payment, unpaid invoice, missed payment, paid late, pay late
late fee, late payment fee, late payment charge, penalty for paying late, overdue fee
direct debit, automatic payment, autopay, auto-pay, standing order, debited automatically, collected automatically, automatic debit
instalment, installment, payment plan, pay in stages, spread the cost, spread payments, pay over time, monthly instalments
down payment, deposit, money down, pay up front, upfront payment
security deposit, deposit, bond
charged twice, double charge, duplicate charge, billed twice, double billed, charged two times, duplicate payment
overcharged, charged too much, billed too much, wrong amount, incorrect charge, billing error, bill is wrong, bill is too high
dispute, contest, challenge, object to, disagree with, chargeback
payment method, way to pay, ways to pay, pay with, forms of payment, payment option, how can i pay, means of payment, accepted payments, pay by, we accept
change my card, update card, new card, card details, payment details, update payment
card declined, payment failed, declined, payment rejected, payment does not go through, payment unsuccessful, failed payment
contactless, tap to pay, apple pay, google pay, tap and pay, mobile payment
currency, dollars or euros, which money
exchange rate, conversion rate, currency conversion
tax, vat, gst, sales tax
tax exempt, vat exempt, tax exemption, without vat, reverse charge
vat number, tax id, tax number, vat id
net price, excluding vat, ex vat, before tax, without tax
gross price, including vat, inc vat, tax included
discount, reduction, money off, percent off, rebate, cheaper, deal, reduced price, reduced rate, concession, price break, special price
bulk discount, volume discount, quantity discount, buy in bulk, large quantities, larger quantities, wholesale
student discount, student price, student rate, students pay
senior, pensioner, retiree, retired person, over 65, over 60, elderly, seniors, older people
senior discount, pensioner discount, concession, concessionary
promo code, discount code, coupon, voucher code, promotional code, offer code
gift card, gift voucher, gift certificate, store credit, gift cards
price match, beat a price, match a price, cheaper elsewhere, lower price elsewhere
price increase, price rise, prices go up, raise prices, more expensive, increase in price, put up the price, prices rise, price changes
inflation, index, consumer price index, cpi
budget, spending limit, cost ceiling, funds available
fee waived, waive, exempt from the fee, no fee, free of charge, without charge
free, complimentary, at no cost, no charge, no extra cost, on the house, costs nothing, without charge, free of charge, zero cost
expensive, costly, pricey, dear
afford, financial hardship, struggling to pay, cannot pay, can't pay, trouble paying, payment difficulties, difficulty paying, unable to pay
cash, banknotes, coins, notes and coins
cash on delivery, pay on delivery, cod, pay on arrival
credit note, credit memo, credited
receipt, proof of purchase, proof of payment, till slip, sales slip
purchase order, po number, po
quote, quotation, estimate, cost estimate, proposal, offer price
tip, gratuity, service charge, tipping
hidden costs, extra costs, additional charges, extras, extra fees, surcharge, additional costs, extra charge, supplement
per person, each person, a head, per head, per guest
one-off, one off, single payment, one time, once only, one-time, non-recurring
recurring, regular payment, repeated payment, renews automatically
renew, renewal, renews, extend, extension, prolong, auto-renew, automatically renewed
subscription, plan, membership plan, package, subscriber
upgrade, move to a higher, switch to a bigger, higher plan
downgrade, move to a lower, lower plan, smaller plan, switch down
switch plan, change plan, change my plan, different plan, plan change, change of plan, change tariff, tariff change, switch tariff
pause, suspend, put on hold, freeze, temporarily stop, take a break, on hold
cancel, terminate, end my contract, close my account, stop my subscription, cancellation, get out of, call off, withdraw, end the agreement, terminate the contract
cooling-off, cooling off, withdrawal period, right of withdrawal, change my mind, changed my mind, withdrawal right
notice period, notice, give notice, how much notice, advance notice, period of notice
minimum term, contract length, minimum contract, lock-in, locked in, tied in, commitment, minimum duration, contract period, contract term
early termination, end early, leave early, break the contract, terminate early, cancel early, get out early, exit fee, early exit
contract, agreement, terms and conditions
breach, violation, break the rules, breaking the rules, infringement, violate, break a rule
sign, signature, e-sign, electronic signature, sign electronically, docusign
countersign, both parties sign, second signature
valid, in force, effective, takes effect, comes into effect, applies from
expire, runs out, run out, no longer valid, lapses, validity, valid for, valid until, expiry date, expiration, out of date, stay valid, remain valid, good for
amend, modify, alter, change the terms, revise, amendment
liable, liability, responsible for damage, who pays for damage, held responsible
sue, take to court, legal action, lawsuit, litigation
jurisdiction, governing law, which court, applicable law, place of jurisdiction
arbitration, mediation, ombudsman, dispute resolution, settle a dispute, conciliation
lawyer, attorney, solicitor, legal counsel, legal adviser, counsel, legal team
notary, notarised, notarized, certified copy
witness, bystander, someone who saw
power of attorney, authorised representative, act on my behalf, proxy, on behalf of, someone else do it for me, letter of authorisation, authorisation letter, in my place
account, profile, user account
sign up, register, create an account, open an account, registration, enrol, enroll, join, set up an account, make an account, become a member, new account
close account, delete account, delete my account, account deletion, account closure, remove my account, shut down my account, close my account
username, user name, login name, user id, sign-in name, account name
password, passphrase, login credentials, passcode
forgot my password, forgotten password, lost my password, password reset, reset password, reset your password, reset the password, recover my password, new password, can't remember my password, don't know my password, password recovery
change password, update password, new password, password change, change your password
log in, sign in, login, get into my account, access my account, log on, get in, sign-in
log out, sign out, logout, end session, signed out
can't log in, cannot log in, can't sign in, cannot sign in, login problem, unable to log in, unable to sign in, login fails, trouble logging in, can't get into my account
locked out, account locked, blocked account, lockout, account is blocked, lock my account, account gets locked, locked
failed attempts, wrong password, incorrect attempts, failed logins, unsuccessful attempts, wrong pin, wrong attempts, tries
unlock, unblock, lift the block
two-factor, two factor authentication, 2fa, mfa, multi-factor, authenticator app, verification code, one-time code, two-step verification, otp, second factor, one time password, security code
recovery code, backup code, rescue code
single sign-on, sso, saml, one login, okta, company login, oidc
permission, access right, privilege, access rights, role
admin, administrator, superuser, account owner, workspace owner
read-only, view only, viewer, can only view, viewing rights
grant access, give access, provide access, request access, get access, access request, ask for access
revoke, withdraw access, remove access, take away access, access is removed, deactivate access, access ends
deactivate, disable, turn off, switch off, suspend, shut off
activate, enable, turn on, switch on, activation
verify, confirm, validate, prove, authenticate, verification, check identity
identity check, identification, proof of identity, photo id, id document, government id, identity document, proof of id, identity card, passport, driving licence, driver's license
passport, travel document
proof of address, utility bill, proof of residence
name change, change my name, new surname, changed my name, change of name, new name
change of address, new address, moved house, moving house, change my address, update my address, moved, move house, moving home, relocation, moving out
next of kin, emergency contact, whom to call in an emergency
email address, e-mail address, mail address
change my email, update email, new email address, different email
phone number, telephone number, contact number, mobile number, hotline, helpline, phone line
contact, get in touch, reach, get hold of, talk to, speak to, write to, call, ring
speak to a person, talk to a human, real person, live agent, human agent, speak to someone, live chat, talk to someone
opening hours, opening times, business hours, when are you open, open until, hours of operation, office hours, hours, closing time, what time do you open, what time do you close, service hours, staffed
closed, shut, not open, closure, closing day
open late, late opening, evening hours, after work
after hours, out of hours, outside opening hours, outside business hours, outside office hours, at night, on-call
response time, reply time, how fast do you reply, get back to me, hear back, answer time, respond within, time to respond, wait for an answer, wait for a reply, replies within, answered within, reply within
complaint, complain, dissatisfied, unhappy with, not happy, grievance, not satisfied
feedback, suggestion, opinion, comments, review
survey, questionnaire, poll
escalate, escalation, next level, take it further, higher authority
ticket, support request, support case, case number, help request
status, progress, how far, state of
device, gadget, unit, appliance, equipment
manual, instructions, user guide, handbook, guide, instruction booklet, instruction manual
specification, specs, technical data, technical details
serial number, serial no, device number, identification number
model number, type plate, rating plate, which model, nameplate
power on, turn on, switch on, start up, boot, power up
won't turn on, doesn't turn on, does not turn on, will not start, does not start, won't start, doesn't start, dead, no power, will not turn on, won't switch on, does not switch on
power off, turn off, switch off, shut down, power down
restart, reboot, turn off and on again, power cycle, start again, switch it off and on
factory reset, reset to factory, restore defaults, factory settings, default settings
freeze, hang, frozen, not responding, unresponsive, stuck, locks up
crash, crashes, quits unexpectedly, closes by itself, closes unexpectedly
slow, sluggish, takes forever, lagging, poor performance, takes ages, performance
overheat, too hot, gets hot, overheating, hot to the touch, high temperature
leak, leaking, drip, dripping, water comes out, loses water, leakage, water on the floor
smell, odour, odor, stink, smells, stinks
noise, noisy, loud, sound, rattles, rattling, buzzing, humming, squeaking, vibration
blink, blinking, flash, flashing, red light, warning light, indicator light, led
battery, rechargeable battery, accumulator, power pack, battery pack
charge, recharge, charging, charger, power up the battery
battery life, how long does the battery last, run time, runtime, battery lasts, operating time, on a single charge, on one charge
cable, cord, lead, wire
plug, socket, outlet, power outlet, wall socket, power point
adapter, adaptor, converter
voltage, volts, mains voltage
fuse, circuit breaker, breaker, trip switch, fuse box
switch, button, knob, dial, press
remote control, remote, controller, handset
screen, display, monitor, panel
keyboard, keys, keypad
mouse, trackpad, touchpad
headset, headphones, earphones, earbuds
webcam, camera, video camera
microphone, mic
speaker, loudspeaker
printer, print, printing, multifunction printer
scan, scanner, scanning, digitise
photocopy, copy, photocopier, copier, copies
toner, ink, cartridge, printer cartridge
paper jam, stuck paper, jammed paper
projector, beamer
tablet, ipad
smartphone, mobile phone, cell phone, mobile, iphone, android phone
laptop, notebook, portable computer, macbook
desktop, workstation, pc
server, host machine
docking station, dock
usb stick, usb drive, flash drive, thumb drive, memory stick, removable media, external drive, portable drive
hard drive, hard disk, ssd, disk
spare part, replacement part, spares, spare
accessory, accessories, add-on, extras, attachment
lid, cover, cap
handle, grip
hose, pipe, tube
pump, pumping
valve, tap, faucet, stopcock
seal, gasket, washer
blade, knife, cutter
bolt, screw, fastener, nut
drain, outlet, drainage
basket, container, tray, bin
nozzle, spout, spray head
sensor, detector, probe
thermostat, temperature control, temperature setting, temperature controller
hinge, joint, pivot
descale, limescale, decalcify, scale, calcium deposits, remove lime, descaling
grease, lubricate, oil, lubrication, lubricant
calibrate, calibration, recalibrate, adjust the accuracy
firmware, software update, update, latest version, new version, firmware update
install, set up, setup, installation, put in, mount, fit, get started
uninstall, remove software, remove the app
assemble, put together, assembly, build, put up
dismantle, take apart, disassemble, take down
connect, pair, hook up, link, connection, attach, set up with
disconnect, unpair, unlink, detach
compatible, works with, work with, fits, supported, compatibility, suitable for, goes with
bluetooth, wireless pairing, pair
wi-fi, wifi, wireless network, wlan, wireless internet, wireless
guest wifi, guest network, visitor network, wifi for visitors, visitor wifi, guest wi-fi
network name, ssid
wifi password, wi-fi password, network key, wireless key
internet, broadband, web access, online connection, internet access
no internet, internet is down, internet doesn't work, connection lost, no connection, offline, internet not working, connection drops, connection fails
router, modem, gateway, hub
signal, reception, coverage, bars
bandwidth, speed, connection speed, download speed, mbps, mbit
vpn, virtual private network, remote access, secure tunnel, connect from outside
firewall, network filter
proxy, proxy server
port, tcp port
ethernet, network cable, lan, wired connection, wired network
data allowance, data limit, data volume, gigabytes, data cap
roaming, use abroad, using my phone abroad
sim card, sim, esim
voicemail, answering machine, mailbox message, voice mail
call forwarding, divert calls, forward my calls, call diversion
keep my number, number portability, port my number, transfer my number, take my number
repair, fix, mend, restore, servicing
broken, defective, faulty, damaged, not working, doesn't work, does not work, stopped working, out of order, malfunction, defect, fault, broke, stops working
damaged on arrival, arrived broken, arrived damaged, transport damage, damaged in transit, broken on arrival, damaged parcel, damaged during shipping, damaged goods, damaged delivery, came damaged, came broken
wear and tear, normal wear, worn out, worn, natural wear
scratch, dent, scuff, scratched
crack, cracked, broken glass, split
rust, corrosion, rusty, corrode
stain, spot, mark, spill, stained
tear, rip, torn, hole
warranty, guarantee, manufacturer's warranty, guaranteed, warranted
extended warranty, extend the warranty, longer warranty, warranty extension
void, invalid, lose my warranty, no longer covered, warranty ends, not covered, excluded, exclusion, loses the warranty
covered, included, insured, coverage, what does it cover, pays for
loaner, loan device, courtesy device, replacement device, device while mine is being repaired, temporary replacement
technician, engineer, repairman, mechanic, service technician, fitter, installer
on-site visit, come to my home, home visit, technician visit, house call, come to us, come to my house
recall, product recall, called back by the manufacturer, safety recall
dispose, throw away, get rid of, discard, disposal, scrap, recycle, bin, put in the bin
old appliance, take back old, old device, old equipment
energy consumption, power consumption, electricity use, how much electricity, uses electricity, energy use, kwh
energy label, efficiency class, energy rating, energy efficient
capacity, volume, how much fits, litres, holds, how much does it hold
size, dimensions, measurements, how big, height, width, length, how tall, how wide, measures
weight, heavy, how much does it weigh, kilograms, kg, pounds, weighs
maximum load, load capacity, weight limit, carry weight, how much weight, bears, maximum weight, max load
colour, shade, color
material, made of, fabric, made from, composition
washable, machine wash, wash, washing instructions, washing machine, care instructions, wash at
tumble dry, dryer, tumble dryer
iron, ironing
dishwasher safe, dishwasher, put in the dishwasher
microwave, microwavable
waterproof, water resistant, splashproof, get wet, weatherproof, water-repellent, in the rain
fireproof, flame retardant, fire resistant
shockproof, drop, dropped, fall
durability, lifespan, how long does it last, service life, lasts, life expectancy
shelf life, best before, use by, keeps for, storage life, how long does it keep, expiry
store, storage, keep, stored
outdoors, outside, in the open, outdoor use
indoors, inside, indoor use
child lock, child safe, childproof, child-proof, safety lock
ship, deliver, send, dispatch, delivery, shipping, mail out, send out
delivery time, how long does delivery take, shipping time, when will it arrive, arrive, when will my order come, arrives, transit time, delivered within
delivery cost, shipping cost, shipping fee, postage, delivery charge, delivery fee, shipping charge, shipping costs, cost of delivery
free delivery, free shipping, no shipping cost, ships free, postage free
express, next-day, next day delivery, expedited, rush, priority delivery, overnight delivery, faster delivery, urgent delivery, same-day
same-day, same day, today
standard delivery, regular delivery, normal delivery, standard shipping
international shipping, ship abroad, deliver abroad, other countries, overseas delivery, ship to another country, outside the country, ship internationally, delivery abroad
customs, import duties, import tax, duty, customs duty, import charges
track, tracking, tracking number, where is my order, where is my parcel, follow my order, tracking link, where is my package, track and trace, shipment status
parcel, package, consignment, packet
pallet, freight, bulky goods, bulky, large items, heavy goods
courier, carrier, delivery driver, parcel service, delivery company, delivery service
delivery date, delivery slot, choose a time, delivery window, time slot, delivery day, arrival date
missed delivery, not at home, nobody home, no one home, wasn't home, not in, nobody in, out when, while i was out, failed delivery, delivery attempt, nobody is at home, no one is at home, no one answers
leave with a neighbour, neighbour, safe place, leave it outside, neighbor, next door
pick up, collect, click and collect, collection, pickup, collect in store, pick-up point, pickup point, collection point, fetch
locker, parcel locker, packstation
lost in the post, never arrived, hasn't arrived, did not arrive, not arrived, missing parcel, lost parcel, parcel lost, lost in transit, not received, didn't arrive, still waiting for, has not arrived, does not arrive
wrong item, wrong product, sent the wrong, incorrect item, not what i ordered, received the wrong, wrong size, wrong goods
missing item, incomplete, something missing, part missing, missing parts, incomplete order, not complete
delay, late, delayed, takes longer, behind schedule, held up, later than
postpone, put off, delay, move to a later date, defer, push back, reschedule
change my order, modify order, edit order, add to my order, change an order, order change, amend an order
cancel my order, cancel order, cancel an order, order cancellation, stop my order
order status, order confirmation, order number
minimum order, minimum order value, smallest order, minimum purchase, order minimum
in stock, available, availability, stock, on hand
out of stock, sold out, unavailable, back order, backorder, not available, back in stock
pre-order, preorder, order in advance, advance order
gift wrap, wrapped as a gift, gift packaging, gift wrapping, wrapping
packaging, box, wrapping, packing, original box, original packaging, packing material, carton
unpack, open the box, take out of the box, opened
return, send back, bring back, give back, take back, returns
return period, return window, how long do i have to return, days to return, return within, time to return, returned within, return deadline
return label, return slip, returns label, prepaid label, return form
return shipping, return postage, who pays for the return, return costs, cost of returning, return delivery
refund, money back, get my money back, reimbursement, reimburse, refunded, repay, paid back, credited back
partial refund, part of the money, refunded in part
non-refundable, no refund, cannot be refunded, not refunded, nonrefundable
non-returnable, cannot be returned, excluded from return, can't be returned, not returnable, final sale, no returns
exchange, swap, trade, different size, another size, replace, replacement
sale items, reduced items, clearance, sale goods, on sale, discounted items, marked down
second-hand, used, pre-owned, refurbished, secondhand
brand new, unused, new condition
custom-made, made to order, personalised, customised, personalized, bespoke, engraved, made to measure
warehouse, depot, storehouse, distribution centre
forklift, lift truck, stacker
loading bay, loading dock, ramp
truck, lorry, hgv, heavy goods vehicle
van, transporter
fragile, breakable, delicate
dangerous goods, hazardous goods, hazardous materials, hazmat, lithium batteries
cold chain, refrigerated, chilled, keep cool, temperature controlled, refrigeration
insured shipping, shipping insurance, insured parcel
signature on delivery, sign for, proof of delivery, signed for
address label, shipping label, addressed
po box, post office box, postbox
inventory, stocktake, stock count, stocktaking, inventory count
supplier, vendor, manufacturer, provider
retailer, shop, store, dealer, stockist, outlet
branch, shop, store, location, outlet
showroom, exhibition room, try it in person, see it in person
sample, swatch, tester, trial piece
customer card, loyalty card, bonus card, loyalty programme, rewards programme, points card
points, bonus points, reward points, loyalty points
redeem, use my points, cash in, spend points, use a voucher
newsletter, mailing list, email updates, marketing emails, promotional emails
unsubscribe, opt out, stop emails, stop receiving, no more emails
catalogue, brochure, catalog, leaflet
size chart, sizing, which size, size guide, what size
fit, sizing, runs small, runs large
shoe, footwear
clothing, clothes, garment, apparel, outfit
furniture, furnishings
food, groceries, foodstuffs
toy, toys, plaything
jewellery, jewelry
cosmetics, make-up, beauty products, makeup
employee, staff, worker, team member, colleague, personnel, staff member, workforce
employer, company, firm, organisation
manager, boss, supervisor, line manager, superior, head of department, team lead, team leader
human resources, hr, people team, personnel department, hr department, people operations
hire, recruit, take on, recruitment, employ, hiring
job, position, role, post, vacancy, opening
apply, application, applicant, send my cv, submit an application
cv, resume, curriculum vitae
interview, job interview, selection interview
onboarding, first day, induction, new starter, new hire, starting a job, new joiner, new employee, newcomer, joiners
offboarding, last day, leaving the company, leaver, exit, when i leave, final day, last working day
probation, probationary period, trial period at work, probation period
resign, quit, hand in my notice, leave the company, resignation, leave my job, quit my job
dismissal, fired, sacked, let go, termination of employment, dismiss, laid off, get fired, terminated
redundancy, layoff, laid off, severance, made redundant, severance pay
retire, retirement, pension age, stop working
salary, pay, wage, remuneration, earnings, income, wages
payslip, pay slip, pay stub, salary statement, wage slip, payroll statement
payday, pay day, paid on, salary date, when do we get paid, when do i get paid, salaries are paid, salary is paid, wages are paid, payroll runs
raise, pay rise, salary increase, pay increase, salary review, more money, pay review
bonus, incentive, profit share, extra pay, annual bonus, thirteenth salary
commission, sales commission
overtime, extra hours, additional hours, working late, work longer, overtime hours
time off in lieu, toil, compensatory time, comp time, time off for overtime, time back
shift, rota, roster, shift schedule, duty schedule, work schedule
night shift, nights, night work, working at night
shift swap, swap shifts, change shifts, trade shifts
working hours, hours of work, work hours, hours per week, hours a week, working week, contracted hours, working time, weekly hours, start work and finish
flexible hours, flexitime, flex time, flextime, flexible working, core hours, choose my hours
part-time, reduced hours, fewer hours, part time, reduce my hours, work less
full-time, full time
time sheet, timesheet, record hours, time tracking, clock in, log hours, record working time, time recording
break, lunch break, rest period, coffee break, pause, meal break
remote work, work from home, home office, telecommute, working from home, remotely, wfh, work remotely, hybrid, hybrid working, teleworking
work abroad, working from another country, workation, work from another country, work from abroad, working abroad
annual leave, vacation, holiday, paid leave, pto, time off, days off, holidays, vacation days, holiday entitlement, leave entitlement, holiday allowance, holiday days, leave days
carry over, carry forward, roll over, transfer to next year, unused leave, unused days, left over, unused holiday, leftover holiday, leftover days, untaken
book leave, request leave, request holiday, holiday request, ask for time off, request time off, book time off, leave request, apply for leave, book holiday, take holiday, request vacation
sick leave, sick pay, off sick, ill, sick day, sickness absence, call in sick, unwell, sickness, illness
sick note, doctor's note, medical certificate, fit note, doctor's certificate, certificate from a doctor
parental leave, having a baby, new baby, becoming a parent, family leave
pregnant, expecting, pregnancy, expecting a baby, having a baby
breastfeed, nursing, express milk, breastfeeding
adoption, adopt a child, adopting, adopt
bereavement, death in the family, funeral, compassionate leave, bereavement leave, family member dies, passed away, someone dies, dies, death
wedding, getting married, marriage, get married, marry
jury duty, jury service
unpaid leave, leave without pay, sabbatical, career break, extended leave
study leave, educational leave, exam leave, time off to study
care leave, carer's leave, look after a sick child, sick child, child is ill, ill child, dependant, caring for a relative, child is sick, kid is sick
public holiday, bank holiday, national holiday, statutory holiday
benefits, perks, extras, fringe benefits
health insurance, medical insurance, private medical, healthcare plan, medical cover, health cover
dental, dentist, teeth, dental care
glasses, eye test, vision, spectacles, eye examination, eyesight, optician, sight test
pension, retirement plan, 401k, pension scheme, retirement savings, pension plan
childcare, nursery, day care, kindergarten, creche, daycare, day nursery
childcare voucher, childcare subsidy, childcare allowance, childcare costs
gym, fitness, sports club, health club, fitness studio, workout
bike scheme, cycle to work, company bike, bike leasing, bicycle leasing
company car, car allowance, fleet car
commute, travel to work, commuting, way to work, get to work
transit pass, travel card, public transport ticket, season ticket, rail pass, bus pass, travel pass
meal voucher, lunch allowance, food allowance, lunch voucher, meal allowance
discount for staff, employee discount, staff discount, employee price
shares, stock options, equity, share plan
performance review, appraisal, annual review, evaluation, performance appraisal, feedback talk, assessment
goals, objectives, targets, okr
promotion, promoted, career step, move up, career progression
training, course, workshop, seminar, further education, learning, class, development
training budget, learning budget, education budget, course budget, money for courses, money for training, development budget
mentor, buddy, coach, mentoring
certificate of employment, reference letter, work reference, employment reference, reference
disciplinary, written warning, formal warning, misconduct
harassment, bullying, harassed, bullied, intimidation
discrimination, unfair treatment, equal treatment, treated unfairly, prejudice
whistleblower, report wrongdoing, speak up, report misconduct, whistleblowing, speak-up, reporting concerns
conflict of interest, side job, second job, outside work, another job, secondary employment, outside employment, side business, own business on the side
code of conduct, rules of behaviour, ethics, code of ethics
dress code, what to wear, attire, what should i wear, clothing, what do i wear
uniform, work clothes, workwear
name badge, id badge, staff card, access card, key card, employee id, badge, pass, entry card, access badge, keycard
union, works council, employee representative, trade union, staff council
trainee, apprentice, intern, apprenticeship, internship
work permit, visa, right to work
security clearance, background check, criminal record check, police check, dbs check
confidential, secret, non-disclosure, nda, confidentiality
intellectual property, inventions, copyright, patents
employee referral, refer a friend, recommend someone, referral bonus, referring, refer, recommend a friend, recommend a candidate
relocation, moving allowance, moving costs, relocation allowance
travel expenses, expense claim, claim expenses, expense report, get reimbursed, claim back, reimbursement, expenses, submit expenses
per diem, daily allowance, meals on trips, daily rate, subsistence, daily meal allowance
mileage, kilometre allowance, per mile, own car, private car, driving my own car, per kilometre, kilometre rate, mileage rate
corporate card, company credit card, business card for payments, company card
business class, first class, premium economy
economy class, coach class, economy
book a flight, flight booking, travel booking, book travel, book a trip, travel agency, booking tool, travel portal
hotel limit, hotel rate, maximum per night, hotel cost, hotel budget, per night
business lunch, client dinner, entertain clients, entertainment expenses, entertaining, client entertainment
rental car, hire car, rent a car, car hire, car rental
travel approval, approved trip, trip approval
travel insurance, trip insurance
business card, visiting card
stationery, office supplies, pens and paper, office material
work phone, company phone, business phone
own device, personal device, private phone, byod, my own phone, personal phone, personal laptop, my own laptop, private device, own laptop
standing desk, height-adjustable desk, adjustable desk, ergonomic desk
ergonomic, back pain, posture, ergonomics
maternity leave, maternity, having a baby, becoming a mother, maternity protection
paternity leave, paternity, birth of a child, becoming a father, new father, new dad
accident, incident, crash, injury at work, accident at work, got hurt, get hurt, injured
near miss, close call, unsafe situation, almost an accident
first aid, first aider, first-aid kit, plaster, bandage, first aid kit, first aid box
defibrillator, aed
fire alarm, alarm goes off, smoke alarm, smoke detector, alarm sounds, fire bell
fire extinguisher, put out a fire, fire blanket
evacuate, evacuation, leave the building, emergency exit, escape route, fire exit, get out of the building
assembly point, meeting point, where do we gather, muster point, gather, gathering point
fire drill, evacuation drill, evacuation exercise
emergency number, call the police, call an ambulance, emergency services, ambulance, 112, 911, 999
emergency, urgent, crisis, urgently
hard hat, helmet, head protection
safety shoes, steel toe, protective footwear, safety boots, steel-toe
goggles, safety glasses, eye protection, protective glasses
gloves, hand protection
ear plugs, hearing protection, ear protection, ear defenders, earmuffs
mask, respirator, face mask, face covering
high-vis, hi-vis, reflective vest, high visibility, safety vest
harness, fall protection, working at height, ladder, heights
chemical, hazardous substance, toxic, solvent, poisonous
safety data sheet, sds, msds
spill, spillage, spilled, spilt
lockout, isolate the machine, isolation, tagout
risk assessment, hazard assessment
safety officer, safety representative, health and safety officer
occupational health, company doctor, works doctor
lift heavy, manual handling, lifting, carry heavy loads
infectious, contagious, infection, communicable
quarantine, isolate, isolation, stay away
vaccine, vaccination, jab, immunisation, shot, immunization, flu shot, vaccinated
alcohol, drunk, drinking, beer, wine
drugs, narcotics, illegal substances, cannabis
smoke, smoking, cigarette, vape, e-cigarette, smoker, vaping
weapon, knife, gun, firearm
drone, unmanned aircraft, quadcopter
mental health, stress, counselling, burnout, employee assistance, counseling, psychologist, therapist, anxiety, overwhelmed
allergy, allergic, allergen, intolerance, allergies
doctor, physician, gp, general practitioner, medical practitioner
specialist, consultant, senior doctor
nurse, nursing staff
dentist, dental surgeon
surgery, operation, procedure, operated, surgical
anaesthetic, anesthesia, sedation, put to sleep, anaesthesia, sedated
appointment, booking, slot, consultation, see the doctor, visit
reschedule, move my appointment, change my appointment, rebook, different date, another date, change the date, change my booking, different time, change the time
no-show, miss my appointment, don't turn up, does not attend, don't come, missed appointment, fail to attend, doesn't show up, don't show up, do not appear
waiting time, wait, queue, waiting list, how long is the wait
walk-in, without an appointment, no appointment needed, no appointment, drop in, just turn up, drop-in, just come, just show up, without booking
prescription, repeat prescription, refill, medication renewal, more tablets
medicine, medication, drug, tablets, pills
side effect, reaction, adverse effect
dose, dosage, how many tablets, how much to take
pharmacy, chemist, drugstore
blood test, blood sample, bloods, draw blood, lab test
test results, results, findings, lab results
x-ray, scan, mri, imaging, ultrasound, radiology
fast, fasting, empty stomach, not eat, eat before, nothing to eat, nil by mouth, eat or drink
fever, temperature, high temperature
pain, ache, hurts, sore
swelling, swollen, inflamed
bleed, bleeding, haemorrhage
wound, cut, injury
bandage, dressing
crutches, walking stick, walker, walking aid
pregnancy, pregnant, antenatal, expectant
baby, newborn, infant
child, children, kid, minor, kids, under 18, youngster, toddler
adult, grown-up, over 18
teenager, adolescent, young person, youth, teen
visiting hours, visit a patient, visiting times, see a patient, visiting time
ward, hospital room, bed
discharge, go home, released, leave hospital
referral, referral letter, referred by
medical records, patient file, health records, my file, my records, medical file
patient, person being treated
health card, insurance card, insurance number
checkup, check-up, screening, medical examination, health check, routine examination
physiotherapy, physical therapy, physio, rehab, rehabilitation
contact lenses, lenses
sick animal, ill pet, vet, veterinarian
insurance, policy, cover, insurance policy
claim, make a claim, file a claim, report damage, insurance claim, report a loss, submit a claim
deductible, excess, own share, self-insured amount
premium, insurance payment, contribution
beneficiary, who gets the money, payee
sum insured, coverage limit, maximum payout, cover limit, insured amount
policyholder, insured person
hail, storm damage, storm, wind damage
flood, flooding, water damage, burst pipe, flooded
burglary, break-in, theft, stolen, robbery, burgled, burglar
roadside assistance, breakdown service, breakdown cover, breakdown, broken down, recovery
no-claims, claim-free, no claims bonus
vehicle, car, automobile, motor vehicle
motorbike, motorcycle, scooter, moped
bicycle, bike, cycle, e-bike, cycles
trailer, caravan, motorhome, campervan
driver, person driving, behind the wheel
driving licence, driver's license, licence to drive, driving license
registration, number plate, license plate, licence plate, registration number
tyre, tire, wheel, flat tyre, puncture
fuel, petrol, diesel, gas, tank, refuel, fill up
electric car, electric vehicle, ev, e-car
charging station, charge point, charging point, wallbox, charge my car, charging my car, ev charging
traffic fine, parking ticket, speeding ticket, penalty notice, parking fine
road tax, vehicle tax
mot, vehicle inspection, roadworthiness
windscreen, windshield, car window
child seat, car seat, booster seat
snow chains, winter tyres, winter tires
toll, road charge
car park, parking, parking lot, garage, parking space, park, parking bay, car parking, underground garage
parking permit, parking pass, resident parking, parking badge
parking fee, parking charge, cost of parking
bike rack, bicycle parking, bike stand, park my bike, bicycle stand, cycle parking, bike storage
clamp, towed, tow, tow away, towing
taxi, cab, ride, uber
bus, coach, shuttle, bus service, minibus
train, rail, railway
tram, streetcar, light rail
underground, subway, metro, tube
ferry, boat, ship
plane, aircraft, flight, fly
airport, terminal
bus stop, station, stop
platform, track
timetable, schedule, departure times, what time does it leave
depart, departure, leave, sets off, departs
arrive, arrival, get there, arrives
ticket, fare, pass, admission
return ticket, round trip, return journey
single ticket, one way, one-way
seat reservation, reserve a seat, book a seat, reserved seat
season ticket, annual pass, season pass, annual ticket
conductor, ticket inspector, inspector
fare evasion, without a ticket, no valid ticket, no ticket, without a valid ticket
luggage, baggage, suitcase, bag, bags
hand luggage, carry-on, cabin bag, hand baggage
excess baggage, extra luggage, overweight luggage
lost luggage, missing baggage, baggage lost
boarding pass, boarding card
check in, check-in, arrive at the hotel, arrival time, get into my room
check out, check-out, leave the room, departure time, vacate
early check-in, arrive early, get in early
late check-out, stay longer, leave later
room, bedroom, accommodation, guest room
suite, large room
double room, room for two, two people
single room, room for one
twin room, two beds, separate beds
extra bed, cot, crib, baby bed, rollaway, folding bed, baby cot
bed linen, sheets, bedding, bed sheets, linen, duvet
towel, towels, bath towel
hairdryer, hair dryer
safe, safe deposit box, strongbox
minibar, mini bar
room service, food in the room, eat in my room
housekeeping, room cleaning, cleaned daily
laundry, wash clothes, dry cleaning, wash my clothes, do my washing, washing machine
wake-up call, wake me
swimming pool, pool, swim, swimming
spa, sauna, wellness, steam room
massage, treatment, massage therapy
playground, play area, play space
kitchen, kitchenette, cook, cooking facilities
fridge, refrigerator
freezer, deep freeze
oven, stove, cooker, hob
kettle, boil water
barbecue, bbq, grill
campfire, open fire, bonfire
tent, pitch, camping pitch, campsite
balcony, terrace, patio
sea view, ocean view, view of the sea
beach, seaside, shore
pet, pets, animal, animals
guide dog, assistance dog, service dog, assistance animal, service animal
leash, lead, on a lead
quiet hours, quiet time, night-time quiet, noise at night, be quiet, make noise, loud music, silence
party, parties, celebrate, celebration
tourist tax, city tax, visitor tax
concierge, porter, doorman
reception, front desk, reception desk, receptionist, help desk
host, landlord, owner
building, premises, site, facility, office, property
headquarters, head office, main office, hq
ground floor, street level, first storey
floor, storey, level
basement, cellar, lower ground
attic, loft, roof space
roof, rooftop
lift, elevator
stairs, staircase, stairway
entrance, way in, main door, front door, entry
exit, way out
corridor, hallway, hall
meeting room, conference room, boardroom, room for a meeting
desk, workstation, workplace, hot desk, desk sharing, hot-desking
locker, storage compartment, cupboard, lockable cabinet
changing room, locker room, dressing room, changing facilities, get changed
toilet, restroom, wc, bathroom, washroom, lavatory, loo, toilets
shower, showers
changing table, change a nappy, baby changing, nappy, diaper
prayer room, quiet room, multi-faith room
kitchen, tea kitchen, pantry
canteen, cafeteria, staff restaurant, dining hall, lunch room
vending machine, snack machine
water dispenser, water fountain, drinking water, water cooler, refill my bottle, fill my bottle
coffee machine, coffee maker, espresso machine
key, keys, door key, fob
lost key, lost my key, lose the key, lost badge, lost card, lost my badge, lose my card, lose my badge, lost access card, lost keys, lost my card, locked myself out
lock, padlock, bolt
alarm system, burglar alarm, intruder alarm
cctv, surveillance camera, security camera, video surveillance, cameras
security guard, guard, security staff, security desk
visitor, guest, external person, visitors
visitor badge, visitor pass, visitor registration, sign in visitors, register a visitor, guest badge
heating, radiator, central heating, warm, heat
air conditioning, aircon, air-con, cooling, air conditioner
ventilation, fan, fresh air, air vent
light, lamp, bulb, lighting, light bulb, lights
window, windows, glazing
blinds, curtains, shutter
door, gate
wall, partition
paint, decorate, painting, redecorate
drill, drill holes, make holes, screw into the wall, hang pictures
renovate, renovation, refurbish, alterations, remodel, structural changes
mould, mold, damp, mildew
pest, mice, rats, cockroaches, vermin, insects, bedbugs, pests
blocked drain, clogged, blocked toilet, drain is blocked, blockage, clog
leaking tap, dripping tap, tap drips
electricity, power, electric current
power cut, power outage, blackout, no electricity, power failure, electricity is out, supply interruption, lights go out
gas leak, smell gas, smell of gas, gas smell
water supply, mains water, tap water, water off, no water
meter, electricity meter, gas meter, water meter
meter reading, read the meter, meter readings, submit a reading, reading my meter
smart meter, digital meter
tariff, rate, price plan, energy plan
green energy, renewable, green electricity, renewable energy, eco power
solar, solar panel, photovoltaic, pv
insulation, insulate
hot water, boiler, water heater
water hardness, hard water, hard is the water
sewage, waste water, wastewater
water pressure, low pressure
chimney, flue, fireplace
garden, yard, lawn
hedge, bush, shrub
tree, trees
mow, cut the grass, mowing, lawnmower
snow, ice, icy, snow clearing, slippery
snow shovel, clear snow, gritting
rain, wet weather, bad weather, rains, poor weather, raining
wind, windy, gale, high winds, strong wind
heatwave, very hot, hot weather
thunderstorm, lightning, thunder
bin, waste bin, rubbish bin, dustbin, container
rubbish, trash, garbage, waste, refuse
recycling, recycle, waste separation
collection day, bin collection, rubbish collection, emptied, garbage collection, refuse collection, waste collection, bins emptied
bulky waste, old furniture, large rubbish, bulky items, old sofa, old mattress
garden waste, green waste, compost, organic waste, food waste, grass cuttings
glass, bottle bank, bottles
paper recycling, cardboard, paper bin
hazardous waste, paint tins, old paint, batteries
electronic waste, e-waste, old electronics
recycling centre, tip, dump, recycling yard, recycling center
clean, cleaning, cleaned, tidy, cleaning up
cleaner, cleaning staff, cleaning company
disinfect, sanitise, sterilise, sterilize, sanitize
vacuum, hoover, vacuum cleaner
maintenance, servicing, upkeep, service interval, serviced, maintain
inspection, check, examination, inspect
caretaker, janitor, facility manager, building manager, facilities team, facilities
tenant, renter, lessee, occupant
landlord, lessor
rent, lease, rental, monthly rent
sublet, subtenant, sub-let, subletting
lodger, flatmate, roommate, housemate
move in, moving in, moving-in date
move out, moving out, vacate, moving-out
viewing, look at the flat, view the apartment
apartment, flat, condo
house, home, dwelling
service charges, utilities, additional costs, running costs, ancillary costs
housing benefit, rent subsidy
mortgage, home loan, house loan
estate agent, realtor, letting agent
borrow, lend, loan, check out, take home
rent out, hire, hire out
book a room, reserve a room, room booking, room reservation
book, reserve, reservation, booking
cancel booking, cancel reservation, cancel a booking, cancel my booking, cancel my reservation
group booking, group, party of, school class, groups
group discount, group rate, group price
guided tour, tour, guide
audio guide, audioguide
admission, entry fee, entrance fee, entry price, cost to get in, admission fee, tickets cost
last entry, last admission
exhibition, exhibit, display
museum, gallery
theatre, theater, play
concert, gig, show, live music
cinema, movie, film
performance, show
interval, intermission
event, function, occasion
wedding reception, wedding party
catering, caterer, food and drink, buffet
bring my own food, own food, outside food, picnic, bring food, packed lunch, own drinks
menu, dishes, food choices
vegetarian, meat-free, meatless, no meat, without meat
vegan, plant-based, dairy-free
gluten-free, coeliac, celiac, without gluten
halal, kosher
lactose, dairy, milk
nuts, peanuts, nut allergy
breakfast, morning meal
lunch, midday meal, lunchtime
dinner, supper, evening meal
snack, snacks, something to eat, refreshments
drink, beverage, soft drinks, beverages
takeaway, takeout, to go, take away
high chair, highchair, baby chair
kids menu, children's menu, meal for children
cloakroom, coat check, wardrobe
lost property, lost and found, left behind, lost something, left my, forgot my, found items, lost items
photography, take photos, take pictures, photographs, photo, filming, take pictures
flash, flash photography
livestream, broadcast, live stream, streamed
recording, record, watch later, recorded
webinar, online event, online session, virtual event
speaker, presenter, lecturer
participant, attendee, delegate
waiting list, waitlist, fully booked, no places left, full
registration deadline, register by, sign-up deadline, enrolment deadline, last day to register, application deadline
certificate, certificate of attendance, certificate of completion, diploma
wheelchair, accessible, step-free, barrier-free, disabled access, wheelchair access, wheelchair accessible, wheelchair user
disabled, disability, reduced mobility, impaired mobility, disabilities
hearing loop, hard of hearing, deaf, hearing impaired, induction loop, hearing aid
sign language, bsl, sign interpreter
blind, visually impaired, braille, partially sighted, screen reader
large print, bigger text, easy read
subtitles, captions, closed captions
carer, companion, accompanying person, personal assistant
pushchair, stroller, buggy, pram
school, academy, college
university, higher education, uni
nursery, kindergarten, preschool, pre-school
teacher, instructor, tutor, trainer
pupil, student, learner, schoolchild
parent, mother or father, guardian, parents, legal guardian
class, lesson, course, session
semester, term, half-year
school holidays, half term, term break
timetable, class schedule, lesson plan
homework, assignment, coursework
exam, test, examination, assessment, exams
resit, retake, repeat the exam, second attempt, take the exam again, resitting, re-sit
pass mark, passing grade, pass the exam, needed to pass, minimum score, pass the course
grade, mark, score, result
fail, failed, not pass, not passed
cheat, plagiarism, cheating, copying from others
absence, absent, miss class, miss a lesson, can't attend, not attend, off school, missing lessons
sick child, report an absence, call in absent
late for class, tardy, lateness
tuition, tuition fees, course fee, school fees, course fees
scholarship, bursary, grant, financial aid
student card, student id
library, borrow books, library card
lend, loan period, borrow, how long can i keep, borrowing, loan
late book, overdue book, overdue items, return late, returned late, late return
renew a book, extend the loan, renew a loan
textbook, course book, study material, course material, course materials, books
dormitory, hall of residence, student housing, student residence, dorm
school uniform, uniform, school clothing
school bus, school transport
school trip, excursion, field trip, outing, day trip
after-school, after school care, after-school club
lunch break, recess, break time
headteacher, principal, head of school
enrol, enroll, enrolment, admission, join the course, sign up
degree, qualification, diploma
beginner, no experience, novice, starter, never done it, absolute beginners, complete beginner
advanced, experienced, proficient
online course, e-learning, distance learning, remote learning
private lesson, one-to-one, individual lesson, one to one, private tuition
instrument, guitar, piano, violin
language course, language class
bank account, current account, checking account
savings, savings account, deposit account
balance, how much is in my account, account balance
statement, bank statement, account statement
transfer, send money, wire, remittance, bank transfer, money transfer
iban, account number, bank details, sort code, routing number
atm, cash machine, cashpoint, cash dispenser
withdraw, take out cash, get cash, withdrawal, take out money, cash withdrawal
deposit money, pay in, put money in, paying in
credit card, card payment
debit card, bank card, ec card
pin, pin code, card pin
lost card, stolen card, block my card, lost my card, card lost, card stolen, card is lost, card was stolen, block the card
overdraft, overdrawn
loan, credit, borrow money
interest, interest rate, apr
investment, invest, fund
share, stock, equity
cheque, check
foreign transaction, abroad fee, foreign currency fee
standing order, regular transfer
joint account, shared account, account together
fraud, scam, fraudulent, suspicious transaction, unauthorised transaction, unauthorised payment
tax return, tax declaration
accountant, bookkeeper, accounting, finance team, finance department, accounts department, finance
fiscal year, financial year
audit, auditor, auditing
software, application, program, app
api, interface, rest api, programming interface
api key, access token, api token, token
endpoint, api address, url
rate limit, requests per minute, requests per second, too many requests, throttle, throttling, api limit, calls per minute, throttled, number of requests
timeout, times out, time out, timed out
webhook, callback, event notification
sdk, client library, library
integration, integrate, plug-in, plugin, connector, connects to
export, download my data, extract, get my data out, take my data, data export, get data out
import, upload, bring in, migrate, load data, transfer data, bulk upload
migrate, migration, move from, switch from
file format, format, file type, csv, excel, spreadsheet
file size, maximum upload, attachment size, upload limit, biggest file, largest file, size of a file
attachment, attached file, enclosure
search, find, look up, lookup
filter, narrow down, refine
sort, order by, arrange
dashboard, overview page, home screen
report, analytics, statistics, reporting
chart, graph, diagram
template, sample document, form
draft, unsaved, unfinished version
version history, earlier version, previous version, restore a version, old version, undo changes
undo, revert, roll back, rollback, restore
delete, remove, erase, get rid of
recover, restore, get back, undelete, deleted by accident, retrieve, bring back, deleted by mistake, accidentally deleted
trash, recycle bin, deleted items
archive, archived, put away
duplicate, copy, clone
share, send to others, make available to, give others access
collaborate, work together, edit together
comment, note, annotation
mention, tag
notification, alert, reminder, notify, notified, notifications
email notification, email alert
mute, silence, turn off notifications, do not disturb
language setting, change language, switch language, other language
time zone, timezone, local time
calendar, diary, appointments calendar
sync, synchronise, synchronize, keep in step
offline, without internet, no connection, without a connection
mobile app, phone app, ios app, android app, iphone app, smartphone app
ios, iphone, apple phone
android, android phone
browser, web browser
cookie, cookies, tracking
pop-up, popup
cache, clear browsing data, temporary files
operating system, os
beta, preview, early access
feature request, suggest a feature, roadmap, request a feature
bug, defect, glitch, software error
error message, error code, fault code, message appears
log, logs, log file, audit trail, activity log, history
audit log, audit trail, who changed, who did what, activity history
backup, back up, backups, saved copy, safety copy
how often backup, backup frequency, backed up, backups run
restore from backup, recover from backup
retention, how long kept, kept for, stored for, retention period, how long do you keep, how long is it stored, deleted after, retained, how long is data kept, keep my data
data centre, where is data stored, hosted, server location, where is my data, hosting location, stored in, data center, where do you store, where is the data
encrypt, encryption, encrypted, at rest, in transit
uptime, availability, sla, service level, up time
outage, downtime, service interruption, unavailable, system down, disruption, is down, goes down
status page, check if the system is down, service status
planned maintenance, maintenance window, scheduled downtime, scheduled maintenance
disaster recovery, business continuity
recovery time, rto, time to restore
security incident, breach, data breach, hacked, compromised, data leak, hacker
phishing, suspicious email, fake email, strange email, suspicious link, dodgy email, scam email, weird email
spam, junk mail, unwanted email
malware, virus, ransomware, trojan
antivirus, virus scanner, virus protection
vulnerability, security hole, security flaw, weakness
penetration test, pen test, security test
clean desk, clear desk, lock the screen, lock my screen, screen lock
password manager, password safe, password vault
shared password, share my password, give someone my password
lost laptop, stolen laptop, lost device, lost phone, stolen device, lost my laptop, stolen phone, laptop is stolen, laptop was stolen, loss of a device
remote wipe, wiped, erase remotely
personal data, personal information, private data
gdpr, data protection, privacy law, privacy
data protection officer, dpo, privacy officer
privacy policy, privacy notice
consent, agree to, permission to use data
subject access request, what data do you have about me, copy of my data, see my data, which data you hold, data about me, access to personal data, request a copy
right to be forgotten, delete my data, erase my data, erasure, deletion request, remove my data
third party, subcontractor, sub-processor, subprocessor, passed on to others
sell my data, share my data, pass on data, passed on to third parties, disclose
anonymous, anonymise, without my name, anonymously, anonymized
AI, machine learning, train models, artificial intelligence, chatbot
licence, license, licensing, seat
user limit, number of users, how many users, how many seats, extra users, additional users
storage limit, storage space, disk space, how much storage, gigabytes of storage
custom domain, own domain, own web address
white label, own branding, our logo, own logo, custom branding
sandbox, test environment, staging, test system
trial, free trial, try it out, test for free, trial period, try before, test period
demo, demonstration, show me, product tour
open source, source code
certification, iso 27001, soc 2, certified
environment, sustainability, green, eco-friendly
carbon footprint, co2, emissions
hourly, per hour, every hour, an hour, each hour
daily, every day, each day, per day, once a day, a day
weekly, every week, once a week, each week, per week, a week
biweekly, fortnightly, every other week, every two weeks, every second week, every 14 days, fortnight, alternate weeks, two weeks
monthly, every month, once a month, each month, per month, a month
bimonthly, every two months, every other month
quarterly, every three months, every quarter, each quarter, four times a year, every 3 months
half-yearly, twice a year, every six months, semi-annual, two times a year, every 6 months, biannual, semi-annually
yearly, annual, every year, once a year, each year, per year, annually, a year, every twelve months, every 12 months
every two years, biennial, every other year, every second year
twice, two times, double
once, one time, a single time
three times, thrice
half, 50 percent, 50%
quarter, 25 percent, 25%
dozen, twelve, 12
couple, pair, two
decade, ten years
noon, midday, 12 pm, twelve o'clock
midnight, 12 am
around the clock, 24/7, day and night, 24 hours, at any time, any time of day, 24 hours a day, all day and night
early morning, before breakfast, dawn
in the evening, tonight, evening
weekend, saturday and sunday, saturdays and sundays
weekday, working day, business day, monday to friday, work day, mon-fri
Christmas, 25 december, festive season, xmas, christmas day
New Year, 1 january, new year's day
New Year's Eve, 31 december, silvester
Easter, good friday, easter monday
summer, july and august, summer months, summertime
winter, winter months, wintertime
spring, springtime
autumn, fall
immediately, straight away, at once, right away, instantly, without delay, as soon as possible
deadline, cut-off, due date, latest date, by when, no later than, closing date, last day, at the latest, last date
in advance, ahead of time, beforehand, prior, earlier, ahead, before
early, ahead of schedule, sooner, before time
duration, how long does it take, length of time, lasts
temporary, for a while, short-term, interim
permanent, for good, indefinite
always, at all times, at any time
never, at no time, under no circumstances
normally, usually, as a rule, typically
maximum, at most, up to, no more than, limit, upper limit, largest, most, max, cap
minimum, at least, no less than, lowest, smallest, min
exceed, go over, above the limit, more than allowed, over the limit
age limit, minimum age, how old, at least 18, old enough, years old, aged, youngest, age, and over
height limit, minimum height, tall, how tall
quota, allocation, allowance
allowed, permitted, may i, allow, ok to, is it okay, permissible, is it possible to, can i bring, may be brought, welcome
forbidden, prohibited, banned, not allowed, must not, not permitted, may not, ban, off limits
mandatory, compulsory, required, obligatory, must, have to, necessary, need to
optional, voluntary, not required, not necessary
recommended, advised, suggested, advisable
exception, special case, exempt, exceptional
approve, sign off, authorise, approval, authorize, green light, agree to, okay it, permission, consent, say yes, signs off
reject, refuse, turn down, decline, deny, denied, rejected
submit, hand in, send in, turn in, file, deliver to
form, application form, paperwork, which form
fill in, fill out, complete, enter
document, paper, file, record
sign off, approval, authorisation
responsible, in charge, who looks after, accountable, who handles, who takes care, who do i ask, who is in charge, looks after, contact person
notify, inform, tell, let know, let you know, report
report, flag, raise, tell someone, notify
announce, publish, make known
respond, reply, answer, react
remind, reminder, prompt
wait, hold on, be patient
choose, select, pick, decide between
change, alter, modify, adjust, switch
replace, substitute, swap
add, include, attach, append
remove, take off, take out, delete
reduce, lower, decrease, cut
increase, raise, go up, grow, rise
allow, let, enable
avoid, prevent, keep from
protect, safeguard, secure
check, verify, test, look at, examine
measure, gauge, determine
count, tally, number
compare, difference, differ, versus, distinction, difference between
explain, describe, clarify
prepare, get ready, preparation, beforehand
bring, take along, carry with me, bring along, take with me
wear, put on, dressed
remain, stay, be left
start, begin, commence, kick off, launch
finish, end, conclude, be over, stop
happen, occur, take place
meet, get together, gather
attend, take part, participate, go to, join in
win, prize, award, reward
lose, mislay, misplace, lost
find, locate, discover
steal, theft, stolen
hurt, injure, harm
help, assistance, support, assist
buy, purchase, order, get one, acquire
sell, resell, sale
pay, settle, paid
pay back, repay, return the money
save, put aside, economise
earn, make money, get paid
spend, expend
lend out, loan out
donate, donation, give to charity, charity
volunteer, voluntary work, unpaid work, volunteering
adopt, take in, rehome, rehoming
register, sign up, enrol, sign on, enroll
member, membership, belong to, join
guest, visitor, friend, bring a friend, bring someone, plus one
membership card, member card
membership fee, dues, subscription fee, annual fee, joining fee
join, become a member, enter, sign up
leave, quit, exit
chairman, chair, president
board, committee, executive
general meeting, agm, annual meeting
vote, ballot, election
statutes, articles, bylaws, constitution
director, chief executive, ceo, managing director, head of the company, runs the company
founder, founded, started the company, set up the company, established
team, crew, squad
department, division, unit
expert, specialist, professional
beginner, novice, newbie
owner, proprietor, holder
user, account holder
neighbour, neighbor, person next door
family, relatives, household, family members
spouse, husband or wife, partner
parents, mum and dad, mother and father
grandmother, grandma, granny
baby, infant, toddler
sibling, brother or sister
couple, two people, partners
single, alone, on my own, by myself, unaccompanied
supervise, supervision, accompanied, accompany, with an adult, watched, accompanied by an adult
address, location, where are you, where is it, situated, located
directions, how to get there, way there, find you, how do i get to
nearest, closest, nearby
distance, how far, miles, kilometres
abroad, overseas, foreign country, another country, other countries, outside the country
EU, European Union, Europe
UK, United Kingdom, Great Britain, Britain
USA, United States, America
foreigner, non-resident, international
citizen, resident, inhabitant, local
town hall, city hall, council, municipal office, municipality
permit, licence, license, authorisation, authorization
birth certificate, proof of birth
marriage certificate, proof of marriage
fine, penalty, penalised
police, officer, law enforcement
crime, offence, criminal
petition, appeal, objection
appeal, object, challenge a decision, disagree with the decision
language, speak, spoken
English, in English, English-speaking
translation, translate, translator
interpreter, interpreting
wrong, incorrect, mistaken, false
correct, right, rectify, put right
typo, spelling mistake, misspelled
difficult, hard, demanding
easy, simple, straightforward
quick, fast, rapid, speedy
big, large, huge
small, little, tiny
cheap, inexpensive, low-cost, budget
new, brand-new, latest, recent
safe, secure, harmless
dangerous, hazardous, risky, unsafe
dirty, soiled, filthy
dry, dried, drying
wet, damp, moist
cold, cool, chilly, chilled
hot, warm, heated
empty, vacant, unoccupied
full, fully booked, at capacity, sold out
private, personal, individual
public, open to everyone, open to all, general public
own, personal, my own, your own
popular, well-known, famous
special, particular, specific
similar, alike, comparable
tool, equipment, instrument
drill, power drill
saw, chainsaw
ladder, steps, stepladder
machine, equipment, apparatus
heavy machinery, excavator, digger
crane, hoist
generator, power generator
pressure washer, high-pressure cleaner
trolley, cart, hand truck
wood, timber, lumber
concrete, cement
metal, steel, iron
plastic, synthetic, polymer
leather, hide
cotton, wool
glass, pane
seed, seeds, sow
plant, flower, shrub
fertiliser, fertilizer, plant food, feed plants
water the plants, irrigation, watering, irrigate
harvest, crop, yield
beer, lager, ale
wine, red wine, white wine
coffee, espresso, cappuccino
tea, herbal tea
bread, loaf, bakery
ingredients, contain, what is in, made with, contents
calories, nutrition, nutritional
sugar, sweetener, sugar-free
organic, bio, pesticide-free
fair trade, fairtrade
fresh, freshly, perishable
frozen, deep-frozen, freeze
spicy, hot, chili
portion, serving, helping
recipe, cooking instructions
sport, exercise, training
trainer, coach, personal trainer, instructor
training plan, workout plan, training programme
court, tennis court, pitch
racket, bat, racquet
ball, football
boat, kayak, canoe
life jacket, life vest, buoyancy aid
climb, climbing, bouldering
ski, skiing, snowboard
lesson, training session, class
competition, tournament, contest
score, points, goal
referee, umpire
haircut, hairdresser, hair salon
funeral, burial, cremation, cemetery
grave, tomb, burial plot
church, chapel, place of worship
dog tax, dog licence
deposit bottle, bottle deposit, deposit return
second copy, duplicate, replacement copy
hotline hours, phone hours, lines are open, telephone hours
voice assistant, alexa, siri
smart home, home automation
QR code, barcode, scan the code
self-service, do it yourself, by yourself
self-checkout, self-service checkout
checkout, till, cash desk, cash register
shopping cart, basket, shopping bag
queue, line, stand in line
trolley, shopping cart
fitting room, try on, changing cubicle
tailor, alterations, shorten, hem
sew, stitch, mend
colleague, coworker, co-worker, workmate, teammate
coordinator, organiser, organizer
newsletter, bulletin
handover, hand over, pass on
checklist, to-do list
agenda, order of business
minutes, record of the meeting, meeting notes
deputy, stand-in, substitute, replacement, cover for
sick relief, cover, temp
contractor, freelancer, external, self-employed, agency worker
customer service, customer support, helpdesk, help desk, support team, customer care, service desk
priority, urgency, severity
critical, severe, serious
minor, small, trivial
on-call, standby, on call duty, stand-by
service credit, credit, compensation for downtime
compensation, damages, goodwill payment, compensate, make up for
`;

export const ENGLISH_KINDS = `
kettle, toaster, grinder, blender, mixer, juicer, food processor < appliance, device, machine, product, unit, kitchen appliance
coffee machine, espresso machine, coffee maker < appliance, device, machine, product
washing machine, dryer, dishwasher, fridge, freezer, oven, stove, cooker < appliance, large appliance, device, machine, product, white goods
vacuum cleaner, hoover, steam mop, iron, hairdryer, fan, heater < appliance, device, machine, product
humidifier, dehumidifier, air purifier, air conditioner < appliance, device, machine, product
television, tv, radio, speaker, soundbar < device, electronics, appliance, product
laptop, notebook, desktop, computer, pc, macbook < device, equipment, hardware, computer, machine
phone, smartphone, iphone, tablet, ipad, mobile < device, equipment, hardware, electronics, mobile device
monitor, keyboard, mouse, headset, webcam, docking station, printer, scanner < equipment, hardware, device, accessory, peripheral
router, modem, repeater, set-top box < device, equipment, hardware
camera, lens, tripod < equipment, device, product
headphones, earbuds, charger, cable, case < accessory, product, device
smartwatch, watch, fitness tracker < device, wearable, product
drill, saw, sander, hammer, screwdriver, chainsaw, jigsaw < tool, power tool, equipment, machine, device
lawnmower, hedge trimmer, leaf blower, pressure washer < tool, machine, garden tool, equipment, device
excavator, digger, roller, crane, dumper, forklift < machine, machinery, equipment, plant, vehicle
ladder, scaffold, trolley, trailer < equipment
generator, compressor, pump, welder < machine, equipment, device
battery, filter, hose, seal, brush, blade, belt, bulb < spare part, part, consumable, component, wear part, accessory
filter, cartridge, bag, descaler, cleaning tablets < consumable, accessory
bike, bicycle, e-bike, helmet < product, equipment, item
car, van, truck, lorry, motorbike, motorcycle, scooter, bus, motorhome < vehicle
caravan, camper, campervan, motorhome < vehicle, recreational vehicle
tesla, volkswagen, toyota, ford, bmw < car, vehicle
jeans, shirt, dress, trousers, skirt, jacket, coat, sweater, jumper, t-shirt, hoodie, blouse < clothing, garment, clothes, item, textile, apparel
shoes, boots, sneakers, trainers, sandals, slippers < footwear, shoe, item, product
shorts, flip-flops, sandals, tracksuit < casual clothes, clothing, clothes
swimsuit, bikini, underwear, socks, tights < clothing, hygiene item, hygiene product, item
earrings, necklace, ring, bracelet < jewellery, jewelry, item
hat, scarf, gloves, belt, bag, handbag < accessory, item
sofa, couch, table, chair, bed, mattress, wardrobe, shelf, desk, cupboard, armchair, bookcase < furniture, bulky item, item, product
lamp, rug, curtain, cushion, vase, mirror < home item, decoration, item, product
book, cd, dvd, magazine, game, vinyl, audiobook, e-book < item, media, product
novel, textbook, comic, dictionary < book, item, media
doll, puzzle, lego, board game < toy, item, game
perfume, lipstick, cream, shampoo, make-up < cosmetics, hygiene product, product, item
apple, banana, lettuce, tomato, potato, carrot, berries < fruit, vegetables, produce, fresh food, food, perishable
milk, cheese, yoghurt, butter, cream < dairy, food, fresh food, perishable
beef, pork, chicken, lamb, sausage, ham, bacon, steak < meat, food
salmon, tuna, shrimp, cod < fish, seafood, food
prawns, mussels, crab, lobster < shellfish, seafood
bread, cake, croissant, pastry, rolls < baked goods, bakery, food
chocolate, sweets, candy, crisps, cookies < snack, sweets, food
pizza, burger, sandwich, pasta, soup, salad < meal, dish, food
beer, wine, whisky, vodka, gin, champagne, cocktail, spirits, prosecco, cider < alcohol, alcoholic drinks, drink, beverage
coffee, tea, juice, cola, lemonade, water, soda, smoothie < drink, beverage, soft drink, refreshments
peanuts, almonds, walnuts, hazelnuts, cashews < nuts, allergen
wheat, gluten, lactose, soy, egg, milk, nuts, sesame < allergen, allergy
cigarette, cigar, pipe, vape, e-cigarette < smoking, tobacco
cannabis, cocaine, marijuana < drugs, illegal substance
dog, cat, rabbit, hamster, guinea pig, parrot, bird, puppy, kitten, ferret < pet, animal
snake, lizard, turtle, tortoise, spider < reptile, exotic animal, exotic pet, animal, pet
horse, cow, sheep, goat, pig, hen, chicken, donkey < livestock, farm animal, animal
labrador, poodle, terrier, bulldog, dachshund < dog, pet, animal
mice, rats, cockroaches, ants, bedbugs, wasps < pest, vermin, insects
wasp, bee, mosquito, tick < insect
oak, birch, maple, pine < tree
rose, tulip, lavender < plant, flower
mastercard, visa, amex, american express, maestro, diners < card, credit card, debit card
paypal, klarna, apple pay, google pay, bitcoin, crypto < payment method, online payment, digital wallet
apple pay, google pay < mobile payment, contactless
euros, dollars, pounds, yen, francs < currency
spain, france, italy, germany, austria, poland, portugal, belgium, netherlands, denmark, sweden, finland, ireland, greece, hungary, czech republic, slovakia, slovenia, croatia, romania, bulgaria, luxembourg, estonia, latvia, lithuania, malta, cyprus < EU, European Union, Europe, European, EU country, member state, EEA
norway, iceland, switzerland, uk, united kingdom, england, scotland, wales, serbia, ukraine < Europe, European, outside the EU, non-EU
norway, iceland, liechtenstein < EEA
switzerland, norway, uk, united kingdom, usa, canada, japan, china, australia, india, brazil, mexico, turkey < outside the EU, non-EU country, third country, rest of the world
spain, france, italy, germany, austria, poland, portugal, belgium, netherlands, denmark, sweden, finland, greece, hungary, switzerland, norway, japan, china, australia, india, brazil, mexico, turkey, canada, usa, america, thailand, singapore, dubai, south africa, new zealand, korea, egypt, morocco < abroad, foreign country, overseas, international, another country, other country, worldwide, country
usa, canada, mexico < North America
japan, china, india, thailand, singapore, korea, vietnam < Asia
brazil, argentina, chile, peru, colombia < South America, abroad, international, overseas
england, scotland, wales, northern ireland < UK, United Kingdom, Britain
sweden, norway, denmark, finland < Scandinavia, Nordic
scotland, wales, highlands, orkney < island, mainland
california, texas, florida, new york, hawaii, alaska < USA, United States, state
mallorca, sicily, crete, canary islands, azores < island
paris, london, berlin, madrid, rome, vienna, amsterdam, tokyo < city, abroad, capital
french, german, spanish, italian, chinese, polish, turkish, portuguese, dutch, russian, arabic, japanese, english < language, foreign language
saturday, sunday < weekend
saturdays, sundays < weekend
monday, tuesday, wednesday, thursday, friday < weekday, working day, business day, work day
sunday < sundays and public holidays
christmas, easter, new year, thanksgiving, boxing day, labour day, good friday, may day, whit monday, ascension day < public holiday, bank holiday, holiday
christmas eve, new year's eve < half day, public holiday
december, january, february < winter
march, april, may < spring
june, july, august < summer
september, october, november < autumn, fall
january, february, march < first quarter
april, may, june < second quarter
july, august, september < third quarter
october, november, december < fourth quarter
july, august < high season, peak season, school holidays, summer holidays
december < festive season, peak season
january, february, november < low season, off season
8 am, 9 am, 7 am, 6 am < morning
2 pm, 3 pm, 4 pm < afternoon
7 pm, 8 pm, 9 pm < evening
11 pm, 2 am, 3 am < night
tonight, this evening < evening
breakfast, lunch, dinner, supper, brunch < meal, food
knife, scissors, gun, pepper spray < weapon, sharp object, dangerous item, prohibited item
fireworks, petrol, gas, paint, lithium battery, aerosol, lighter, gas cylinder, nail polish < dangerous goods, hazardous material, flammable, hazardous substance
acid, bleach, solvent, thinner, acetone, pesticide, ammonia < chemical, hazardous substance, hazardous waste
paint, varnish, oil, batteries, bulbs, medicines < hazardous waste, problem waste
newspaper, magazine, cardboard, box < paper, waste paper, paper bin, recycling
bottle, jar < glass, recycling
yoghurt pot, plastic bottle, foil, can, tin, milk carton < packaging, recycling, plastic
banana peel, potato peel, coffee grounds, leftovers, eggshell < food waste, organic waste, compost, bio waste
leaves, branches, grass, hedge cuttings, twigs < garden waste, green waste
mattress, sofa, carpet, wardrobe, armchair < bulky waste, bulky items
toaster, phone, tv, fridge, cable, computer, kettle, washing machine < electronic waste, electrical waste, old appliance, small electricals, e-waste
tyres, rubble, plasterboard, asbestos < construction waste, builders' waste
nappy, diaper, ash, cigarette butts < residual waste, general waste, household waste
mother, father, mum, dad, mom < parent, guardian, family member, close relative, relative, immediate family
husband, wife, boyfriend, girlfriend, fiance < partner, spouse, family member, close relative, immediate family
brother, sister < sibling, family member, relative, close relative
grandmother, grandfather, grandma, grandpa, grandparent < family member, relative, grandparent
son, daughter < child, family member, dependant, immediate family
uncle, aunt, cousin, nephew, niece < relative, family member, extended family
toddler, baby, infant, newborn < child, under 3, small child
boy, girl, son, daughter, kid, toddler, teenager < child, children, minor, young person
boyfriend, girlfriend, friend, colleague, mother, brother, sister < guest, visitor, companion, another person
plumber, electrician, painter, carpenter, roofer < tradesperson, tradesman, craftsman, contractor, technician
cleaner, gardener, babysitter, caretaker < household help, contractor
nurse, doctor, surgeon, therapist, midwife < medical staff, staff, clinician, health professional
cardiologist, dermatologist, neurologist, orthopaedist, urologist, gynaecologist < specialist, doctor, consultant
teacher, professor, lecturer, tutor < staff, teaching staff, instructor
plumbing, wiring, roofing < building work, repair
intern, trainee, apprentice, working student < employee, staff
cashier, driver, warehouse worker, receptionist, developer, engineer, accountant < employee, staff, role
part-timer, temp, freelancer, contractor < worker, external staff
student, pupil, schoolchild < reduced rate, concession, learner
pensioner, senior, unemployed, student, disabled < concession, reduced rate, reduced ticket
police officer, firefighter, paramedic < emergency services
plumber, heating engineer < technician, emergency service
flu, cold, covid, measles, chickenpox, norovirus, stomach bug < illness, infection, infectious disease, contagious disease, sickness, sick
diarrhoea, vomiting, nausea < stomach upset, illness, symptoms, gastrointestinal
headache, migraine, cough, sore throat, fever, rash, toothache, back pain < symptom, pain, illness, complaint
sprain, fracture, burn, cut, broken arm, broken leg, concussion < injury, accident
diabetes, asthma, epilepsy, heart disease, high blood pressure < chronic disease, chronic condition, medical condition, pre-existing condition, long-term condition
ibuprofen, aspirin, paracetamol, painkiller, antibiotics, insulin < medicine, medication, drug, painkiller
tetanus, measles, rabies, hepatitis, flu shot < vaccination, vaccine, immunisation
mri, x-ray, ct, ultrasound < imaging, scan, examination, radiology
knee operation, hip replacement, cataract, tonsils, appendix < surgery, operation, procedure
filling, crown, bridge, implant, root canal, braces < dental treatment, dental work, dental
massage, facial, manicure, sauna < treatment, spa, wellness
crutches, wheelchair, walker, walking frame < mobility aid, medical aid, aid
flood, fire, storm, hail, earthquake, lightning, burst pipe, avalanche < damage, natural hazard, natural disaster, insured event
theft, burglary, robbery, vandalism < crime, loss, insured event
hurricane, snowstorm, blizzard, tornado, thunderstorm, gale < storm, bad weather, severe weather, extreme weather
rain, snow, fog, ice, wind < weather, bad weather
train, tram, bus, metro, underground, subway < public transport, local transport, public transit
train, plane, ferry, coach, taxi, rental car < transport, travel
taxi, uber, train ticket, bus fare, petrol, toll, parking < travel costs, travel expenses, transport costs
hotel, airbnb, hostel, guesthouse < accommodation, lodging
hotel bill, taxi receipt, restaurant bill < receipt, invoice, expense
hotel, flight, meals < travel expenses, expense
suitcase, backpack, bag, rucksack, trolley bag, handbag < luggage, baggage, item
guitar, violin, cello, trumpet, saxophone, piano, drums < musical instrument, instrument
skis, snowboard, surfboard, golf clubs, diving gear < sports equipment, sporting equipment, bulky luggage
pushchair, wheelchair, bicycle, scooter, e-scooter < bulky item, vehicle, equipment
tennis, football, badminton, basketball, volleyball, squash, yoga, pilates, zumba < sport, course, class, sports, activity
yoga, pilates, spinning, aerobics, zumba, aqua fit < class, fitness class, group class, course
swimming, diving, snorkelling, kayaking, sailing, surfing < water sport, activity
hiking, climbing, skiing, cycling, rafting < outdoor activity, activity, excursion
treadmill, dumbbells, rowing machine, weights < equipment, gym equipment
maths, physics, chemistry, biology, history, geography < subject, course
bachelor, master, phd, diploma < degree, qualification, programme
essay, thesis, homework, dissertation < assignment, coursework, written work
toefl, ielts, delf < language certificate, language test
pdf, word, docx, excel, csv, jpg, png, xlsx, txt, pptx, mp4, json, xml < file, file format, document, format, attachment
jpg, png, gif, photo, screenshot, svg < image, picture, file
mp4, mov, avi < video, file
excel, google sheets, spreadsheet < spreadsheet, file, csv
slack, teams, zoom, salesforce, hubspot, jira, zapier, trello, asana, github, dropbox < integration, app, tool, third-party app, third-party tool
chrome, firefox, safari, edge, opera, brave < browser
windows, macos, linux, ubuntu < operating system, desktop
ios, android < mobile, smartphone, app
python, java, javascript, ruby, php, golang, typescript < programming language, sdk, library, language
postgres, mysql, mongodb, oracle, sqlite < database
aws, azure, google cloud < cloud, cloud provider, hosting provider
okta, azure ad, onelogin, google workspace, entra < identity provider, sso, single sign-on
outlook, gmail, thunderbird < email program, mail client, email client
zoom, teams, webex, google meet, skype < video call, video conference
word, photoshop, autocad, excel, powerpoint < software, program, application, licence
dropbox, google drive, icloud, onedrive, wetransfer < cloud storage, private cloud, file sharing service, external service
whatsapp, telegram, signal, messenger < messenger, messaging app, chat
facebook, instagram, twitter, linkedin, tiktok < social media, social network
chatgpt, copilot, gemini, claude < ai tool, ai, artificial intelligence, chatbot
netflix, youtube, spotify < streaming, private use
alexa, siri, google assistant < voice assistant, smart home
virus, trojan, ransomware, worm, spyware < malware
email address, home address, birthday, phone number, date of birth, bank details < personal data, personal information, customer data
salary data, health data, medical data < sensitive data, confidential, personal data
customer list, price list, source code, contract < confidential information, internal document, confidential
laptop, phone, badge, key, tablet, usb stick < company property, device, equipment, company equipment, work equipment
desk, chair, lamp, whiteboard < office furniture, furniture, equipment
pen, stapler, notepad, envelope, paper < stationery, office supplies, office material
course, book, conference, certification, exam fee < training, training budget, learning budget
wine, chocolates, concert ticket, hamper, flowers, bottle of wine, football tickets, theatre tickets < gift, present, hospitality, benefit
kitchen, bathroom, bedroom, living room, hallway < room
shower, bath, toilet, sink, washbasin < bathroom, sanitary, plumbing
tap, toilet, pipe, drain, sink < plumbing, installation, fixture
radiator, boiler, thermostat < heating
fridge, oven, washing machine, microwave < kitchen equipment, amenities
nail, screw, hook, picture, shelf < wall, fixing
barbecue, grill, campfire, fire pit, candle, torch < open fire, open flame, naked flame
piano, trumpet, radio, party, drill < noise, loud, music
garage, basement, attic, cellar < storage room, ancillary room
balcony, terrace, garden, patio, roof < outdoor area
conference room, auditorium, seminar room, meeting room, ballroom < room, event space, venue
wedding, birthday, anniversary, conference, seminar, baptism < event, celebration, function, occasion
birthday party, hen party, stag party, barbecue < party, celebration, private event, event
concert, play, musical, opera, ballet, show < performance, event
film, movie < screening, show
painting, sculpture, statue < artwork, exhibit
camera, tripod, selfie stick < photography, photo
umbrella, backpack, coat, bag < cloakroom, item
phone, wallet, umbrella, purse, jacket, keys, glasses, scarf < lost property, item, found item
letter, postcard, envelope, leaflet < post, mail
parcel, package, letter < shipment, consignment, item
painting, vase, mirror, glassware, china < fragile item, fragile goods, fragile
gold, cash, jewellery, watch, money, passport < valuables, valuable item
sofa, fridge, washing machine, piano, mattress < bulky goods, large item, freight, heavy goods
passport, identity card, driving licence < id, photo id, identification, identity document
birth certificate, marriage certificate, death certificate < certificate, document, civil status document
rent, electricity, gas, water, heating, internet < utility, running costs, bill
electricity, gas, water < energy, supply, utility
solar panels, wind turbine, heat pump < renewable energy, heating system
heat pump, wallbox, water heater < large load, appliance, installation
tax, premium, rent, tuition < payment, fee
annual leave, sick leave, parental leave, unpaid leave < leave, absence
maternity leave, paternity leave < parental leave, family leave
dentist appointment, doctor's appointment, medical appointment < appointment, absence
wedding, funeral, moving house, birth < special leave, special occasion, personal reasons
developer, designer, salesperson, analyst < employee, team
small business, startup, freelancer, self-employed < business customer, company, business
company, business, restaurant, shop < business customer, commercial customer, commercial use
school, club, charity, nursery < organisation, non-profit, institution, group
kindergarten, school class, club < group
family, couple, friends < guests, group, household
gold, silver, platinum, bronze < tier, level, plan
bmx, mountain bike, racing bike, road bike, cargo bike, e-bike < bike, bicycle
audi, mercedes, renault, peugeot, skoda < car, vehicle
suv, convertible, estate car, minivan, hatchback < car, vehicle
kayak, canoe, paddleboard, rowing boat, sailing boat, yacht < boat, watercraft
microwave, rice cooker, air fryer, waffle iron, sandwich maker, hand mixer < appliance, device, kitchen appliance, product
robot vacuum, sewing machine, electric toothbrush, shaver, hair clipper < appliance, device, product
projector, beamer, flipchart, whiteboard, microphone < equipment, conference equipment, technology
hdmi cable, adapter, power bank, usb cable < accessory, equipment
tent, sleeping bag, rucksack, stove < camping equipment, equipment
drone, action camera, gimbal < device, equipment
hammer, pliers, wrench, spanner, screwdriver < tool, hand tool
angle grinder, circular saw, hammer drill, nail gun < power tool, tool, machine
spade, rake, hoe, secateurs < garden tool, tool
basil, tomato plant, orchid, cactus < plant
fence, shed, greenhouse, pergola, carport, winter garden < structure, building work, outbuilding, construction
extension, conversion, dormer < building work, structural change, construction
vegetarian, vegan, halal, kosher, gluten-free < special diet, dietary requirement, dietary needs, special meal
cancer, stroke, heart attack < serious illness, critical illness
pregnant women, children, elderly < vulnerable, at risk
monday morning, tuesday evening, friday afternoon < weekday
`;
