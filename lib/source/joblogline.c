/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What stands around a message: stamps of time, ranks, hosts, as srun -l, mpirun --tag-output and
 * --timestamp-output, pdsh and clush, torchrun, syslog (RFC 3164, RFC 5424), journalctl, dmesg,
 * Docker and kubectl write them, and NCCL, UCX and MVAPICH themselves.  What is none of these is
 * passed over, a word at a time.
 */
#include "source/joblog.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/nodename.h"
#include "source/source.h"

#define DIGITS    "0123456789"
#define LEAP_SPAN 8     /* years between two of 29 February, at the most */
#define SKEW      86400 /* seconds: a clock that goes before ours, another zone */
#define EPOCH_MIN 9     /* digits of seconds since 1970; of those since boot there are fewer */

/* ---- times ---------------------------------------------------------------------------------- */

/* One digit at least. */
static bool read_digits(const char **t, size_t max, int *out)
{
	size_t n = 0;

	for (*out = 0; n < max && isdigit((unsigned char)**t); n++)
		*out = *out * 10 + *(*t)++ - '0';
	return n;
}

/* "12:11:38", "12:11:38.5", "12:11:38,123" */
static bool read_clock(const char **t, struct tm *tm)
{
	if (!read_digits(t, 2, &tm->tm_hour) || *(*t)++ != ':' || !read_digits(t, 2, &tm->tm_min) ||
	    *(*t)++ != ':' || !read_digits(t, 2, &tm->tm_sec))
		return false;
	if (**t == '.' || **t == ',')
		*t += 1 + strspn(*t + 1, DIGITS);
	return tm->tm_hour < 24 && tm->tm_min < 60 && tm->tm_sec < 61;
}

/* What follows a time: "Z", " UTC", "+01:00", " +0100"; by how much it is ahead. */
static bool read_zone(const char **t, long *offset)
{
	const char *zone = *t + (**t == ' ');
	int hours, minutes = 0, unit = *zone == '-' ? -60 : 60;

	if (**t == 'Z' || !strncmp(*t, " UTC", 4)) {
		*t += **t == 'Z' ? 1 : 4;
		return true;
	}
	if ((*zone != '-' && *zone != '+') || !isdigit((unsigned char)*++zone) ||
	    !isdigit((unsigned char)zone[1]) || !read_digits(&zone, 2, &hours))
		return false;
	zone += *zone == ':';
	read_digits(&zone, 2, &minutes);
	if (hours > 14 || minutes > 59) /* of the zones that there are */
		return false;
	*offset = (hours * 60 + minutes) * unit;
	*t = zone;
	return true;
}

/* Seconds since 1970; 0: there is no such time.  A year below 0 is not known. */
static time_t seconds_of(const struct tm *when, bool zoned, long offset, struct log_clock *clock)
{
	struct tm tm = { .tm_year = 70 };
	bool yearless = when->tm_year < 0;
	time_t limit = clock->now + SKEW, seconds;

	/* mktime() looks after a file each time */
	if (clock->at && !zoned && when->tm_hour == clock->last.tm_hour &&
	    when->tm_mday == clock->last.tm_mday && when->tm_mon == clock->last.tm_mon &&
	    when->tm_year == clock->last.tm_year)
		return clock->at + (when->tm_min - clock->last.tm_min) * 60 + when->tm_sec -
		       clock->last.tm_sec;
	if (yearless && clock->now)
		localtime_r(&limit, &tm);
	for (int i = 0, year = yearless ? tm.tm_year : when->tm_year; i <= LEAP_SPAN; i++) {
		tm = *when;
		tm.tm_year = year - i;
		tm.tm_isdst = -1;
		seconds = zoned ? timegm(&tm) - offset : mktime(&tm);
		/* 30 February has become a day of March */
		if (tm.tm_mon == when->tm_mon && tm.tm_mday == when->tm_mday && seconds > 0 &&
		    (!yearless || !clock->now || seconds <= limit)) {
			clock->last = zoned ? clock->last : *when;
			clock->at = zoned ? clock->at : seconds;
			return seconds;
		}
		if (!yearless || !clock->now)
			break;
	}
	return 0;
}

/* "Mar  3 12:11:38", "Mar  3 12:11:38.5 2026" */
static bool read_month(const char **t, struct tm *tm)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	const char *year;

	while (tm->tm_mon < 12 && strncmp(*t, months + (ptrdiff_t)tm->tm_mon * 3, 3))
		tm->tm_mon++;
	if (tm->tm_mon == 12 || (*t)[3] != ' ')
		return false;
	*t += 3 + strspn(*t + 3, " ");
	if (!read_digits(t, 2, &tm->tm_mday) || *(*t)++ != ' ' || !read_clock(t, tm))
		return false;
	year = *t + 1;
	if (**t == ' ' && strspn(year, DIGITS) == 4 && read_digits(&year, 4, &tm->tm_year))
		*t = year;
	tm->tm_year -= 1900;
	return true;
}

/* A time that begins at @t: its end, or NULL; *yearless: it is that of a syslog. */
static const char *read_time(const char *t, struct log_clock *clock, struct log_origin *o,
                             bool *yearless)
{
	struct tm tm = { 0 };
	long offset = 0;
	bool zoned = false;
	time_t seconds;

	if (strspn(t, DIGITS) == 4) {
		if (!read_digits(&t, 4, &tm.tm_year) || (*t != '-' && *t != '/') ||
		    !read_digits((t++, &t), 2, &tm.tm_mon) || (*t != '-' && *t != '/') ||
		    !read_digits((t++, &t), 2, &tm.tm_mday) || !*t || !strchr("T _", *t++) ||
		    tm.tm_mon < 1 || tm.tm_mon > 12 || tm.tm_year < 1970 || !read_clock(&t, &tm))
			return NULL;
		zoned = read_zone(&t, &offset);
		tm.tm_year -= 1900;
		tm.tm_mon--;
	} else if (!isupper((unsigned char)*t) || !read_month(&t, &tm)) {
		return NULL;
	}
	*yearless = tm.tm_year < 0;
	seconds = seconds_of(&tm, zoned, offset, clock);
	if (seconds && (!o->time || (zoned && !o->zoned))) {
		o->time = seconds;
		o->zoned = zoned;
	}
	return t;
}

/* Seconds since 1970 with a fraction, or without in smaller units, as journald and UCX have it. */
static const char *read_epoch(const char *t, struct log_origin *o)
{
	size_t n = strspn(t, DIGITS);
	uint64_t value = n > EPOCH_MIN && n < 20 ? strtoull(t, NULL, 10) : 0;

	for (size_t i = n; i > EPOCH_MIN + 1; i--)
		value /= 10;
	if (value && (!o->time || !o->zoned)) {
		o->time = (time_t)value;
		o->zoned = true;
	}
	n += t[n] == '.' ? 1 + strspn(t + n + 1, DIGITS) : 0;
	return value ? t + n : NULL;
}

/* ---- prefixes ------------------------------------------------------------------------------- */

static bool is_host(const char *t, size_t n)
{
	return n && n <= LOG_NAME_MAX && strspn(t, DIGITS ".") < n;
}

/* "node07:5776:5902 ", "node07:6807:0:6807]", "node07:6807 :0:6807]", "node07:mpi_rank_3]" */
static const char *read_process(const char *t, struct log_origin *o)
{
	size_t n = log_name_length(t), end = n + 1, id;

	if (!is_host(t, n) || t[n] != ':' || !strncmp(t, "libfabric", n) ||
	    strspn(t, DIGITS "-T") >= n) /* a time */
		return NULL;
	end += strncmp(t + end, "mpi_rank_", 9) ? 0 : 9;
	id = strspn(t + end, DIGITS);
	end += id;
	if (!id ||
	    (end == n + 1 + id && (t[end + strspn(t + end, " ")] != ':' ||
	                           !isdigit((unsigned char)t[end + strspn(t + end, " ") + 1]))))
		return NULL;
	o->host = (struct log_span){ t, n };
	o->process = (struct log_span){ t, end };
	t += end;
	return t + strcspn(t, " ]") + (strcspn(t, " ]") == 0 && *t == ' ' ? strcspn(t, "]") : 0);
}

/* The host in front of "kernel:", "prog[7]:", which follow the time of a syslog. */
static const char *read_syslog_host(const char *t, bool sure, struct log_origin *o)
{
	size_t n, program;

	t += strspn(t, " ");
	n = log_name_length(t);
	if (!is_host(t, n) || t[n] != ' ')
		return t;
	program = strcspn(t + n + 1, " ");
	/* "INFO main[7]:" is of no syslog */
	if (sure || !strncmp(t + n + 1, "kernel:", 7) ||
	    (strcspn(t, DIGITS) < n && program > 2 && !memcmp(t + n + program - 1, "]:", 2)))
		o->host = o->host.n ? o->host : (struct log_span){ t, n };
	return t + n;
}

/* "[...]": a time, a process, or something else. */
static const char *read_bracket(const char *t, struct log_clock *clock, struct log_origin *o)
{
	const char *end = t + 1 + strspn(t + 1, " ");
	bool yearless;

	if (isupper((unsigned char)*end) && end[3] == ' ' && !read_time(end, clock, o, &yearless))
		read_time(end + 4, clock, o, &yearless);
	else if (!read_time(end, clock, o, &yearless) && !read_epoch(end, o))
		read_process(end, o);
	end = t + strcspn(t, "]");
	return end + (*end == ']');
}

void log_prefix(const char *line, const char *begins, struct log_clock *clock,
                struct log_origin *origin)
{
	struct log_origin o = *origin;
	bool first = true, numbered = false, yearless;
	const char *end = memrchr(line, '\n', (size_t)(begins - line)); /* in a text of JSON */

	line = end ? end + 1 : line;

	for (const char *t = line; t < begins; first &= t == line) {
		size_t n = strspn(t, " \t");

		t += n;
		n = log_name_length(t);
		if (*t == '<' && isdigit((unsigned char)t[1])) { /* RFC 5424: a version follows */
			t += strcspn(t, "> ") + 1;
			numbered = isdigit((unsigned char)*t) && t[1] == ' ';
			t += numbered;
		} else if (*t == '\\') { /* an escape of JSON that is cut; a colour ends with m */
			t += strncmp(t, "\\u001b", 6) ? 2 : strcspn(t, "m") + 1;
		} else if (*t == '[') {
			t = read_bracket(t, clock, &o);
			t += *t == ':';
		} else if ((end = read_time(t, clock, &o, &yearless)) != NULL) {
			t = end;
			if (yearless || numbered || *t == ' ')
				t = read_syslog_host(t, yearless || numbered, &o);
		} else if ((end = read_process(t, &o)) != NULL) {
			t = end;
		} else if (n && t[n] == ':' && t[n + 1] == ' ') {
			char name[NODENAME_MAX];

			snprintf(name, sizeof(name), "%.*s", (int)n, t);
			if (first && is_host(t, n) && strpbrk(name, DIGITS) && !is_hca_name(name) &&
			    !o.host.n)
				o.host = (struct log_span){ t, n };
			line = strspn(t, DIGITS) == n ? t + n + 1
			                              : line; /* a host may follow a rank */
			t += n + 1;
		} else {
			t += n ? n : *t != '\0';
		}
		if (!*t)
			break;
	}
	*origin = o;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

/* The first of the keys that is there. */
static const struct json_item *first_of(const struct json_item *object, const char *const *keys)
{
	const struct json_item *item = NULL;

	for (; *keys && !item; keys++)
		item = json_member(object, *keys);
	return item;
}

char *log_unwrap(struct json_reader *json, const char *anchor, char *line, struct log_clock *clock,
                 struct log_origin *origin)
{
	static const char *const times[] = {
		"time", "timestamp", "@timestamp", "ts", "__REALTIME_TIMESTAMP", NULL
	};
	static const char *const hosts[] = { "_HOSTNAME", "hostname",   "host",
		                             "node",      "kubernetes", NULL };
	static const char *const names[] = { "name", "host", NULL };
	char *begins = strchr(line, '{'), *message;
	size_t n = begins ? strlen(begins) : 0, i = 1;
	const struct json_item *object = begins ? json_read(json, begins, n) : NULL, *item;
	bool yearless;

	/* whatever its key, and however deep */
	while (object && i <= object->span &&
	       (object[i].kind != JSON_TEXT || !strstr(object[i].text, anchor)))
		i++;
	if (!object || i > object->span) {
		if (begins)
			json_unread(begins, n);
		return line;
	}
	message = (char *)object[i].text;
	take_escapes_out(message);
	log_prefix(line, begins, clock, origin);
	item = first_of(object, times);
	if (json_is(item, JSON_TEXT) && !read_time(item->text, clock, origin, &yearless))
		read_epoch(item->text, origin);
	else if (json_is(item, JSON_NUMBER) || json_is(item, JSON_REAL_NUMBER)) {
		char number[32];

		snprintf(number, sizeof(number), "%.0f",
		         item->kind == JSON_NUMBER ? (double)item->number : item->real);
		read_epoch(number, origin);
	}
	item = first_of(object, hosts);
	item = json_is(item, JSON_MEMBERS) ? first_of(item, names) : item;
	if (json_is(item, JSON_TEXT) && is_host(item->text, strlen(item->text)))
		origin->host = (struct log_span){ item->text, strlen(item->text) };
	return message;
}
